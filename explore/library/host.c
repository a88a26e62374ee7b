// The machine and its user: terminals, the C locale, and options on the command line.

#include "library.h"

// No standard stream is a terminal.
LIBRARY int isatty(int descriptor) {
  enum { ENOTTY = 25 };
  errno = descriptor >= 0 && descriptor <= 2 ? ENOTTY : EBADF;
  return 0;
}

// The locale.

static int same(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

LIBRARY char *setlocale(int category, const char *name) {
  static char c[] = "C";
  if (category < 0 || category > 12)
    return 0;
  return !name || !*name || same(name, "C") || same(name, "POSIX") ? c : 0;
}

struct lconv {
  char *text[10];
  char numbers[14];
};

LIBRARY struct lconv *localeconv(void) {
  static char point[] = ".", nothing[] = "";
  static struct lconv c;
  for (int i = 0; i < 10; i++)
    c.text[i] = i ? nothing : point;
  for (int i = 0; i < 14; i++)
    c.numbers[i] = 127;
  return &c;
}

// Items of a category are numbered in a row.
LIBRARY char *nl_langinfo(int item) {
  static const char *const times[] = {
      "Sun",       "Mon",      "Tue",      "Wed",      "Thu",     "Fri",      "Sat",
      "Sunday",    "Monday",   "Tuesday",  "Wednesday", "Thursday", "Friday",  "Saturday",
      "Jan",       "Feb",      "Mar",      "Apr",      "May",     "Jun",      "Jul",
      "Aug",       "Sep",      "Oct",      "Nov",      "Dec",     "January",  "February",
      "March",     "April",    "May",      "June",     "July",    "August",   "September",
      "October",   "November", "December", "AM",       "PM",      "%a %b %e %H:%M:%S %Y",
      "%m/%d/%y",  "%H:%M:%S", "%I:%M:%S %p"};
  enum { NUMERIC = 1 << 16, TIME = 2 << 16, MONETARY = 4 << 16, MESSAGES = 5 << 16 };
  if (item >= TIME && item < TIME + (int)(sizeof times / sizeof *times))
    return (char *)times[item - TIME];
  switch (item) {
  case 14:
    return (char *)"ANSI_X3.4-1968";
  case NUMERIC:
    return (char *)".";
  case MONETARY + 15:
    return (char *)"-";
  case MESSAGES:
    return (char *)"^[yY]";
  case MESSAGES + 1:
    return (char *)"^[nN]";
  default:
    return (char *)"";
  }
}

// Options on the command line, as GNU has them: arguments that are no options are moved behind
// those that are, unless the list of options begins with `+` (the first of them ends the options)
// or with `-` (each of them is an option 1).

LIBRARY char *optarg;
LIBRARY int optind = 1, opterr = 1, optopt = '?';

struct option {
  const char *name;
  int has_arg;
  int *flag;
  int val;
};

// The rest of an argument with several options, and the arguments that were skipped.
static const char *rest;
static int skipped_from = 1, skipped_to = 1;

static void complain(char **argv, const char *what, const char *name, size_t count) {
  const char *program = argv[0] ? argv[0] : "";
  if (!opterr)
    return;
  nanoscope_print(2, program, strlen(program));
  nanoscope_print(2, ": ", 2);
  nanoscope_print(2, what, strlen(what));
  nanoscope_print(2, " -- '", 5);
  nanoscope_print(2, name, count);
  nanoscope_print(2, "'\n", 2);
}

// Moves the arguments from `skipped_to` to `optind` before the skipped ones.
static void move_skipped(char **argv) {
  for (int to = skipped_to; to < optind; to++) {
    char *moved = argv[to];
    for (int at = to; at > skipped_from; at--)
      argv[at] = argv[at - 1];
    argv[skipped_from++] = moved;
  }
  skipped_to = optind;
}

static int is_option(const char *argument) { return argument[0] == '-' && argument[1]; }

// Finds the next argument that is an option: 0. Else what is to be returned.
static int next_argument(int argc, char **argv, char order) {
  if (skipped_to > optind)
    skipped_to = optind;
  if (skipped_from > optind)
    skipped_from = optind;
  if (!order) {
    if (skipped_from != skipped_to && skipped_to != optind)
      move_skipped(argv);
    else if (skipped_to != optind)
      skipped_from = optind;
    while (optind < argc && !is_option(argv[optind]))
      optind++;
    skipped_to = optind;
  }
  if (optind < argc && same(argv[optind], "--")) {
    optind++;
    if (skipped_from != skipped_to && skipped_to != optind)
      move_skipped(argv);
    else if (skipped_from == skipped_to)
      skipped_from = optind;
    skipped_to = optind = argc;
  }
  if (optind >= argc) {
    if (skipped_from != skipped_to)
      optind = skipped_from;
    return -1;
  }
  if (!is_option(argv[optind])) {
    if (order == '+')
      return -1;
    optarg = argv[optind++];
    return 1;
  }
  return 0;
}

// A long option; -2 if no such option is there and the argument may be a short one.
static int long_option(int argc, char **argv, const char *name, const struct option *options,
                       int *index, int missing, int may_be_short) {
  size_t count = 0;
  while (name[count] && name[count] != '=')
    count++;
  int found = -1, several = 0;
  for (int i = 0; options[i].name; i++) {
    const char *known = options[i].name;
    size_t same_count = 0;
    while (same_count < count && known[same_count] == name[same_count])
      same_count++;
    if (same_count < count)
      continue;
    if (!known[count]) {
      found = i, several = 0;
      break;
    }
    if (found < 0)
      found = i;
    else if (options[found].has_arg != options[i].has_arg ||
             options[found].flag != options[i].flag || options[found].val != options[i].val)
      several = 1;
  }
  if (may_be_short && found < 0)
    return -2;
  optind++;
  rest = 0;
  if (found < 0 || several) {
    complain(argv, several ? "ambiguous option" : "unrecognized option", name, count);
    optopt = 0;
    return '?';
  }
  const struct option *option = options + found;
  if (name[count] == '=') {
    if (!option->has_arg) {
      complain(argv, "option does not allow an argument", name, count);
      optopt = option->val;
      return '?';
    }
    optarg = (char *)name + count + 1;
  } else if (option->has_arg == 1) {
    if (optind >= argc) {
      complain(argv, "option requires an argument", name, count);
      optopt = option->val;
      return missing;
    }
    optarg = argv[optind++];
  }
  if (index)
    *index = found;
  if (option->flag) {
    *option->flag = option->val;
    return 0;
  }
  return option->val;
}

static int options_next(int argc, char **argv, const char *shorts, const struct option *longs,
                        int *index, int only) {
  if (argc < 1)
    return -1;
  optarg = 0;
  if (optind == 0) {
    optind = 1;
    rest = 0;
    skipped_from = skipped_to = 1;
  }
  char order = *shorts == '+' || *shorts == '-' ? *shorts++ : 0;
  int quiet = *shorts == ':', missing = quiet ? ':' : '?';
  int printed = opterr;
  if (quiet)
    opterr = 0;
  int result = -2;
  if (!rest || !*rest) {
    int ended = next_argument(argc, argv, order);
    if (ended) {
      opterr = printed;
      return ended;
    }
    const char *argument = argv[optind];
    if (longs && argument[1] == '-') {
      result = long_option(argc, argv, argument + 2, longs, index, missing, 0);
    } else if (longs && only && (argument[2] || !strchr(shorts, argument[1]))) {
      int is_short = strchr(shorts, argument[1]) != 0;
      result = long_option(argc, argv, argument + 1, longs, index, missing, is_short);
    }
    rest = result == -2 ? argument + 1 : 0;
  }
  if (result == -2) {
    const char *name = rest++;
    const char *known = *name == ':' || *name == ';' ? 0 : strchr(shorts, *name);
    if (!*rest)
      optind++;
    if (!known) {
      complain(argv, "invalid option", name, 1);
      optopt = *name;
      result = '?';
    } else {
      result = *name;
      if (known[1] == ':') {
        if (*rest) {
          optarg = (char *)rest;
          optind++;
        } else if (known[2] != ':') {
          if (optind >= argc) {
            complain(argv, "option requires an argument", name, 1);
            optopt = *name;
            result = missing;
          } else {
            optarg = argv[optind++];
          }
        }
        rest = 0;
      }
    }
  }
  opterr = printed;
  return result;
}

LIBRARY int getopt(int argc, char *const *argv, const char *options) {
  return options_next(argc, (char **)argv, options, 0, 0, 0);
}

LIBRARY int getopt_long(int argc, char *const *argv, const char *options,
                        const struct option *longs, int *index) {
  return options_next(argc, (char **)argv, options, longs, index, 0);
}

LIBRARY int getopt_long_only(int argc, char *const *argv, const char *options,
                             const struct option *longs, int *index) {
  return options_next(argc, (char **)argv, options, longs, index, 1);
}
