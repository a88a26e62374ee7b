// stdio.h, what it reads: standard input, and strings by sscanf.

#include "library.h"

typedef struct {
  int descriptor;
} FILE;

// What was read of standard input, what was put back, and whether its end was seen.
static unsigned long position;
static int put_back = EOF;
static int ended;

static int next_byte(void) {
  if (put_back != EOF) {
    int byte = put_back;
    put_back = EOF;
    return byte;
  }
  int byte = nanoscope_stdin(position);
  if (byte == EOF)
    ended = 1;
  else
    position++;
  return byte;
}

LIBRARY int getchar(void) { return next_byte(); }
LIBRARY int getchar_unlocked(void) { return next_byte(); }

LIBRARY int fgetc(FILE *file) { return file->descriptor == 0 ? next_byte() : EOF; }
LIBRARY int getc(FILE *file) { return fgetc(file); }
LIBRARY int _IO_getc(FILE *file) { return fgetc(file); }

LIBRARY int ungetc(int c, FILE *file) {
  if (c == EOF || file->descriptor != 0)
    return EOF;
  put_back = (unsigned char)c;
  ended = 0;
  return put_back;
}

LIBRARY int feof(FILE *file) { return file->descriptor == 0 && ended; }
LIBRARY int ferror(FILE *file) { return 0; }
LIBRARY void clearerr(FILE *file) { ended = 0; }

LIBRARY char *fgets(char *to, int capacity, FILE *file) {
  if (capacity <= 0 || file->descriptor != 0)
    return 0;
  int count = 0;
  while (count < capacity - 1) {
    int byte = next_byte();
    if (byte == EOF)
      break;
    to[count++] = (char)byte;
    if (byte == '\n')
      break;
  }
  if (count == 0 && capacity > 1)
    return 0;
  to[count] = 0;
  return to;
}

LIBRARY char *gets(char *to) {
  int count = 0;
  for (;;) {
    int byte = next_byte();
    if (byte == EOF && count == 0)
      return 0;
    if (byte == EOF || byte == '\n')
      break;
    to[count++] = (char)byte;
  }
  to[count] = 0;
  return to;
}

LIBRARY size_t fread(void *to, size_t size, size_t count, FILE *file) {
  if (file->descriptor != 0 || !size)
    return 0;
  size_t whole = 0;
  for (char *at = to; whole < count; whole++) {
    for (size_t i = 0; i < size; i++) {
      int byte = next_byte();
      if (byte == EOF)
        return whole;
      *at++ = (char)byte;
    }
  }
  return whole;
}

LIBRARY ssize_t read(int descriptor, void *to, size_t count) {
  if (descriptor != 0)
    return -1;
  size_t got = 0;
  for (; got < count; got++) {
    int byte = next_byte();
    if (byte == EOF)
      break;
    ((char *)to)[got] = (char)byte;
  }
  return (ssize_t)got;
}

LIBRARY ssize_t getline(char **line, size_t *capacity, FILE *file) {
  if (file->descriptor != 0)
    return -1;
  size_t count = 0;
  for (;;) {
    int byte = next_byte();
    if (byte == EOF)
      break;
    if (!*line || count + 2 > *capacity) {
      *capacity = *line && *capacity ? 2 * *capacity : 120;
      *line = realloc(*line, *capacity);
    }
    (*line)[count++] = (char)byte;
    if (byte == '\n')
      break;
  }
  if (!count)
    return -1;
  (*line)[count] = 0;
  return (ssize_t)count;
}

// Where scanf reads: a string, or standard input.
typedef struct {
  const char *text;
  long count;
} source;

static int take(source *s) {
  int byte;
  if (s->text) {
    byte = (unsigned char)*s->text;
    if (!byte)
      return EOF;
    s->text++;
  } else {
    byte = next_byte();
    if (byte == EOF)
      return EOF;
  }
  s->count++;
  return byte;
}

static void give_back(source *s, int byte) {
  if (byte == EOF)
    return;
  s->count--;
  if (s->text)
    s->text--;
  else
    put_back = byte;
}

static int is_space(int c) { return (c == ' ') | ((unsigned)c - '\t' < 5); }

static int skip_space(source *s) {
  int byte;
  do
    byte = take(s);
  while (is_space(byte));
  give_back(s, byte);
  return byte;
}

enum { LONGEST = 400 };

// The characters of a number: as long as they can be the beginning of one.
static int is_digit(int c, int base) {
  int letter = c | 32;
  int value = c >= '0' && c <= '9' ? c - '0' : letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
  return value < base;
}

static int read_integer(source *s, char *word, int width, int base) {
  int length = 0;
  int byte = take(s);
  if ((byte == '-' || byte == '+') && length < width) {
    word[length++] = (char)byte;
    byte = take(s);
  }
  int digits = 0;
  if (byte == '0' && length < width && (base == 0 || base == 16)) {
    word[length++] = '0';
    digits = 1;
    byte = take(s);
    if ((byte | 32) == 'x' && length < width) {
      word[length++] = (char)byte;
      byte = take(s);
      base = 16;
      digits = 0;
    } else if (base == 0) {
      base = 8;
    }
  }
  if (base == 0)
    base = 10;
  while (length < width && is_digit(byte, base)) {
    word[length++] = (char)byte;
    digits++;
    byte = take(s);
  }
  give_back(s, byte);
  word[length] = 0;
  return digits > 0;
}

static int read_word(source *s, char *word, int width, const char *rest) {
  int length = 0;
  for (; *rest && length < width; rest++) {
    int byte = take(s);
    if ((byte | 32) != *rest) {
      give_back(s, byte);
      break;
    }
    word[length++] = (char)byte;
  }
  return length;
}

static int read_float(source *s, char *word, int width) {
  int length = 0, digits = 0, point = 0, base = 10;
  int byte = take(s);
  if ((byte == '-' || byte == '+') && length < width) {
    word[length++] = (char)byte;
    byte = take(s);
  }
  if ((byte | 32) == 'i' || (byte | 32) == 'n') {
    int infinite = (byte | 32) == 'i';
    give_back(s, byte);
    int got = read_word(s, word + length, width - length, infinite ? "infinity" : "nan");
    word[length + got] = 0;
    return got == 3 || got == 8;
  }
  if (byte == '0' && length < width) {
    word[length++] = '0';
    digits = 1;
    byte = take(s);
    if ((byte | 32) == 'x' && length < width) {
      word[length++] = (char)byte;
      base = 16;
      digits = 0;
      byte = take(s);
    }
  }
  while (length < width && (is_digit(byte, base) || (byte == '.' && !point))) {
    if (byte == '.')
      point = 1;
    else
      digits++;
    word[length++] = (char)byte;
    byte = take(s);
  }
  if (digits && length < width && (byte | 32) == (base == 16 ? 'p' : 'e')) {
    word[length++] = (char)byte;
    byte = take(s);
    if (length < width && (byte == '-' || byte == '+')) {
      word[length++] = (char)byte;
      byte = take(s);
    }
    int powers = 0;
    while (length < width && is_digit(byte, 10)) {
      word[length++] = (char)byte;
      powers++;
      byte = take(s);
    }
    // An exponent without digits is no number, and what was read of it is gone.
    if (!powers)
      digits = 0;
  }
  give_back(s, byte);
  word[length] = 0;
  return digits > 0;
}

// Whether a byte is in the set between the brackets of a conversion; `*end` is behind it.
static int in_set(const char *set, const char **end, int byte) {
  int inverted = *set == '^', found = 0;
  if (inverted)
    set++;
  const char *first = set;
  for (; *set && (*set != ']' || set == first); set++) {
    if (set[1] == '-' && set[2] && set[2] != ']') {
      found |= (byte >= (unsigned char)set[0]) & (byte <= (unsigned char)set[2]);
      set += 2;
    } else {
      found |= byte == (unsigned char)*set;
    }
  }
  *end = set;
  return found != inverted;
}

long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);

static int scan(source *s, const char *text, va_list arguments) {
  int assigned = 0;
  char word[LONGEST + 1];
  for (; *text; text++) {
    if (is_space((unsigned char)*text)) {
      skip_space(s);
      continue;
    }
    if (*text != '%') {
      int byte = take(s);
      if (byte != (unsigned char)*text) {
        give_back(s, byte);
        return byte == EOF && !assigned ? EOF : assigned;
      }
      continue;
    }
    text++;
    int discards = *text == '*';
    if (discards)
      text++;
    int width = 0;
    for (; *text >= '0' && *text <= '9'; text++)
      width = width * 10 + (*text - '0');
    int size = 0;
    for (;; text++) {
      if (*text == 'h')
        size--;
      else if (*text == 'l' || *text == 'j' || *text == 'z' || *text == 't' || *text == 'q')
        size = size == 1 ? 1 : size + 1;
      else if (*text == 'L')
        size = 2;
      else
        break;
    }
    char conversion = *text;
    if (conversion == '%') {
      skip_space(s);
      int byte = take(s);
      if (byte != '%') {
        give_back(s, byte);
        return byte == EOF && !assigned ? EOF : assigned;
      }
      continue;
    }
    if (conversion == 'n') {
      if (size > 0)
        *va_arg(arguments, long *) = s->count;
      else
        *va_arg(arguments, int *) = (int)s->count;
      continue;
    }
    if (conversion != 'c' && conversion != '[') {
      if (skip_space(s) == EOF)
        return assigned ? assigned : EOF;
    }
    int number_width = width && width < LONGEST ? width : LONGEST;
    switch (conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'p': {
      int base = conversion == 'd' || conversion == 'u' ? 10
                 : conversion == 'i'                    ? 0
                 : conversion == 'o'                    ? 8
                                                        : 16;
      if (!read_integer(s, word, number_width, base))
        return assigned;
      if (discards)
        break;
      int is_signed = conversion == 'd' || conversion == 'i';
      unsigned long value =
          is_signed ? (unsigned long)strtol(word, 0, base) : strtoul(word, 0, base);
      if (conversion == 'p' || size > 0)
        *va_arg(arguments, unsigned long *) = value;
      else if (size == 0)
        *va_arg(arguments, unsigned *) = (unsigned)value;
      else if (size == -1)
        *va_arg(arguments, unsigned short *) = (unsigned short)value;
      else
        *va_arg(arguments, unsigned char *) = (unsigned char)value;
      assigned++;
      break;
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      if (!read_float(s, word, number_width))
        return assigned;
      if (discards)
        break;
      if (size == 2)
        *va_arg(arguments, long double *) = strtold(word, 0);
      else if (size == 1)
        *va_arg(arguments, double *) = strtod(word, 0);
      else
        *va_arg(arguments, float *) = strtof(word, 0);
      assigned++;
      break;
    case 'c': {
      char *to = discards ? 0 : va_arg(arguments, char *);
      for (int i = 0; i < (width ? width : 1); i++) {
        int byte = take(s);
        if (byte == EOF)
          return assigned ? assigned : EOF;
        if (to)
          to[i] = (char)byte;
      }
      assigned += !discards;
      break;
    }
    case 's':
    case '[': {
      char *to = discards ? 0 : va_arg(arguments, char *);
      const char *set = text + 1, *end = text;
      if (conversion == '[')
        in_set(set, &end, 0);
      int length = 0;
      for (; !width || length < width; length++) {
        int byte = take(s);
        if (byte == EOF) {
          if (!length)
            return assigned ? assigned : EOF;
          break;
        }
        if (conversion == 's' ? is_space(byte) : !in_set(set, &end, byte)) {
          give_back(s, byte);
          break;
        }
        if (to)
          to[length] = (char)byte;
      }
      text = end;
      if (!length)
        return assigned;
      if (to)
        to[length] = 0;
      assigned += !discards;
      break;
    }
    default:
      nanoscope_assumed("a conversion of scanf that is not modelled matches nothing");
      return assigned;
    }
  }
  return assigned;
}

LIBRARY int vscanf(const char *text, va_list arguments) {
  source s = {0, 0};
  return scan(&s, text, arguments);
}

LIBRARY int vsscanf(const char *from, const char *text, va_list arguments) {
  source s = {from, 0};
  return scan(&s, text, arguments);
}

LIBRARY int scanf(const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = vscanf(text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int __isoc99_scanf(const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = vscanf(text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int fscanf(FILE *file, const char *text, ...) {
  if (file->descriptor != 0)
    return EOF;
  va_list arguments;
  va_start(arguments, text);
  int count = vscanf(text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int __isoc99_fscanf(FILE *file, const char *text, ...) {
  if (file->descriptor != 0)
    return EOF;
  va_list arguments;
  va_start(arguments, text);
  int count = vscanf(text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int sscanf(const char *from, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = vsscanf(from, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int __isoc99_sscanf(const char *from, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = vsscanf(from, text, arguments);
  va_end(arguments);
  return count;
}
