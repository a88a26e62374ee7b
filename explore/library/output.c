// stdio.h, what it writes: formatted text to standard output, standard error and strings.
//
// Text for the outside is made of what is known; an unknown number becomes a question mark and
// asks nothing of the path. Text in the program's memory is exact.

#include "library.h"

static FILE files[3] = {{0}, {1}, {2}};
LIBRARY FILE *stdin = &files[0];
LIBRARY FILE *stdout = &files[1];
LIBRARY FILE *stderr = &files[2];

// Where text goes: memory, or a descriptor by way of a small store.
typedef struct {
  char *to;
  size_t capacity, count;
  int descriptor;
  int unknown;
  size_t stored;
  char store[64];
} sink;

static void flush(sink *s) {
  if (s->stored)
    nanoscope_print(s->descriptor, s->store, s->stored);
  s->stored = 0;
}

static void put(sink *s, char c) {
  if (s->descriptor) {
    if (s->stored == sizeof s->store)
      flush(s);
    s->store[s->stored++] = c;
  } else if (s->count < s->capacity) {
    s->to[s->count] = c;
  }
  s->count++;
}

static void put_text(sink *s, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    put(s, text[i]);
}

static void pad(sink *s, char c, long count) {
  for (; count > 0; count--)
    put(s, c);
}

enum { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZEROS = 16 };

typedef struct {
  int flags, width, precision;
} layout;

// A number whose digits are made, with its sign or prefix.
static void put_number(sink *s, const layout *l, const char *prefix, const char *digits,
                       size_t length, size_t zeros) {
  size_t before = strlen(prefix);
  long fill = (long)l->width - (long)(before + zeros + length);
  int fill_zeros = (l->flags & ZEROS) && !(l->flags & LEFT);
  if (!(l->flags & LEFT) && !fill_zeros)
    pad(s, ' ', fill);
  put_text(s, prefix, before);
  if (fill_zeros)
    pad(s, '0', fill);
  pad(s, '0', (long)zeros);
  put_text(s, digits, length);
  if (l->flags & LEFT)
    pad(s, ' ', fill);
}

static void put_integer(sink *s, const layout *given, unsigned long value, int negative,
                        unsigned base, int capital, int is_signed) {
  layout l = *given;
  char digits[64];
  size_t length = 0;
  const char *letters = capital ? "0123456789ABCDEF" : "0123456789abcdef";
  for (unsigned long rest = value; rest; rest /= base)
    digits[sizeof digits - ++length] = letters[rest % base];
  size_t zeros = 0;
  if (l.precision >= 0) {
    l.flags &= ~ZEROS;
    if ((size_t)l.precision > length)
      zeros = (size_t)l.precision - length;
  } else if (length == 0) {
    zeros = 1;
  }
  const char *prefix = "";
  if (is_signed)
    prefix = negative ? "-" : l.flags & PLUS ? "+" : l.flags & SPACE ? " " : "";
  else if ((l.flags & ALTERNATE) && base == 16 && value)
    prefix = capital ? "0X" : "0x";
  else if ((l.flags & ALTERNATE) && base == 8 && zeros == 0)
    zeros = 1;
  put_number(s, &l, prefix, digits + sizeof digits - length, length, zeros);
}

static char float_text[6000];

static void put_float(sink *s, const layout *l, long double value, char conversion,
                      int extended) {
  size_t length = nanoscope_format(float_text, sizeof float_text, value, conversion, l->precision,
                                   (l->flags & ALTERNATE ? 1 : 0) | (extended ? 2 : 0));
  char *text = float_text;
  const char *prefix = l->flags & PLUS ? "+" : l->flags & SPACE ? " " : "";
  if (*text == '-') {
    prefix = "-";
    text++;
    length--;
  }
  layout own = *l;
  if ((*text | 32) == 'i' || (*text | 32) == 'n')
    own.flags &= ~ZEROS;
  put_number(s, &own, prefix, text, length, 0);
}

// Whether to write a question mark for an unknown: to the outside only.
static int skips(sink *s, int known, const layout *l) {
  if (known || !s->descriptor)
    return 0;
  s->unknown = 1;
  pad(s, ' ', (long)l->width - 1);
  put(s, '?');
  return 1;
}

static int number(const char **format) {
  int value = 0;
  for (; **format >= '0' && **format <= '9'; (*format)++)
    value = value * 10 + (**format - '0');
  return value;
}

static void put_string(sink *s, const layout *l, const char *text) {
  size_t most = l->precision >= 0 ? (size_t)l->precision : ~0ul;
  if (!text)
    text = most >= 6 ? "(null)" : "";
  size_t length = 0;
  if (s->descriptor) {
    long known = nanoscope_text(text, most);
    if (skips(s, known >= 0, l))
      return;
    length = (size_t)known;
  } else {
    while (length < most && text[length])
      length++;
  }
  if (!(l->flags & LEFT))
    pad(s, ' ', (long)l->width - (long)length);
  put_text(s, text, length);
  if (l->flags & LEFT)
    pad(s, ' ', (long)l->width - (long)length);
}

static void format(sink *s, const char *text, va_list arguments) {
  for (; *text; text++) {
    if (*text != '%') {
      put(s, *text);
      continue;
    }
    text++;
    layout l = {0, 0, -1};
    for (;; text++) {
      if (*text == '-')
        l.flags |= LEFT;
      else if (*text == '+')
        l.flags |= PLUS;
      else if (*text == ' ')
        l.flags |= SPACE;
      else if (*text == '#')
        l.flags |= ALTERNATE;
      else if (*text == '0')
        l.flags |= ZEROS;
      else
        break;
    }
    if (*text == '*') {
      text++;
      l.width = (int)nanoscope_pin((unsigned)va_arg(arguments, int));
      if (l.width < 0) {
        l.flags |= LEFT;
        l.width = -l.width;
      }
    } else {
      l.width = number(&text);
    }
    if (*text == '.') {
      text++;
      if (*text == '*') {
        text++;
        l.precision = (int)nanoscope_pin((unsigned)va_arg(arguments, int));
      } else {
        l.precision = number(&text);
      }
    }
    // 0 int, 1 long and its like, -1 short, -2 char, 2 long double.
    int size = 0;
    for (;; text++) {
      if (*text == 'h')
        size--;
      else if (*text == 'l' || *text == 'j' || *text == 'z' || *text == 't' || *text == 'q')
        size = 1;
      else if (*text == 'L')
        size = 2;
      else
        break;
    }
    char conversion = *text;
    switch (conversion) {
    case 'd':
    case 'i': {
      long value = size > 0 ? va_arg(arguments, long) : va_arg(arguments, int);
      if (size == -1)
        value = (short)value;
      else if (size <= -2)
        value = (signed char)value;
      if (skips(s, nanoscope_known((unsigned long)value), &l))
        break;
      int negative = value < 0;
      put_integer(s, &l, negative ? -(unsigned long)value : (unsigned long)value, negative, 10, 0,
                  1);
      break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      unsigned long value =
          size > 0 ? va_arg(arguments, unsigned long) : va_arg(arguments, unsigned);
      if (size == -1)
        value = (unsigned short)value;
      else if (size <= -2)
        value = (unsigned char)value;
      if (skips(s, nanoscope_known(value), &l))
        break;
      put_integer(s, &l, value, 0, conversion == 'u' ? 10 : conversion == 'o' ? 8 : 16,
                  conversion == 'X', 0);
      break;
    }
    case 'c': {
      int value = va_arg(arguments, int);
      if (skips(s, nanoscope_known((unsigned)value), &l))
        break;
      if (!(l.flags & LEFT))
        pad(s, ' ', (long)l.width - 1);
      put(s, (char)value);
      if (l.flags & LEFT)
        pad(s, ' ', (long)l.width - 1);
      break;
    }
    case 's':
      put_string(s, &l, va_arg(arguments, const char *));
      break;
    case 'p': {
      unsigned long value = (unsigned long)va_arg(arguments, void *);
      if (s->descriptor) {
        // Nobody knows where the native program's objects are.
        skips(s, 0, &l);
        break;
      }
      nanoscope_assumed("%p writes an address as the model has it");
      l.flags |= ALTERNATE;
      put_integer(s, &l, nanoscope_pin(value), 0, 16, 0, 0);
      break;
    }
    case 'n':
      if (size > 0)
        *va_arg(arguments, long *) = (long)s->count;
      else if (size == 0)
        *va_arg(arguments, int *) = (int)s->count;
      else if (size == -1)
        *va_arg(arguments, short *) = (short)s->count;
      else
        *va_arg(arguments, signed char *) = (signed char)s->count;
      break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
      long double value =
          size == 2 ? va_arg(arguments, long double) : (long double)va_arg(arguments, double);
      if (skips(s, nanoscope_known_float(value), &l))
        break;
      put_float(s, &l, nanoscope_pin_float(value), conversion, size == 2);
      break;
    }
    case '%':
      put(s, '%');
      break;
    case 0:
      return;
    default:
      nanoscope_assumed("a conversion of printf that is not modelled writes itself");
      put(s, '%');
      put(s, conversion);
    }
  }
}

static int outside(int descriptor, const char *text, va_list arguments) {
  sink s;
  s.to = 0;
  s.capacity = s.count = s.stored = 0;
  s.unknown = 0;
  s.descriptor = descriptor;
  format(&s, text, arguments);
  flush(&s);
  return s.unknown ? nanoscope_unspecified() : (int)s.count;
}

static int inside(char *to, size_t capacity, const char *text, va_list arguments) {
  sink s;
  s.to = to;
  // One place is for the zero.
  s.capacity = capacity ? capacity - 1 : 0;
  s.count = s.stored = 0;
  s.unknown = 0;
  s.descriptor = 0;
  format(&s, text, arguments);
  if (capacity)
    to[s.count < s.capacity ? s.count : s.capacity] = 0;
  return (int)s.count;
}

static int is_output(FILE *file) { return file->descriptor == 1 || file->descriptor == 2; }

LIBRARY int vfprintf(FILE *file, const char *text, va_list arguments) {
  return is_output(file) ? outside(file->descriptor, text, arguments) : -1;
}

LIBRARY int vprintf(const char *text, va_list arguments) { return outside(1, text, arguments); }

LIBRARY int vdprintf(int descriptor, const char *text, va_list arguments) {
  return outside(descriptor, text, arguments);
}

LIBRARY int vsnprintf(char *to, size_t capacity, const char *text, va_list arguments) {
  return inside(to, capacity, text, arguments);
}

LIBRARY int vsprintf(char *to, const char *text, va_list arguments) {
  return inside(to, ~0ul >> 1, text, arguments);
}

LIBRARY int printf(const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = outside(1, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int fprintf(FILE *file, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = vfprintf(file, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int dprintf(int descriptor, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = outside(descriptor, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int sprintf(char *to, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = inside(to, ~0ul >> 1, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int snprintf(char *to, size_t capacity, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = inside(to, capacity, text, arguments);
  va_end(arguments);
  return count;
}

// The forms that a fortified build calls.
LIBRARY int __printf_chk(int flag, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = outside(1, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int __fprintf_chk(FILE *file, int flag, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = vfprintf(file, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int __sprintf_chk(char *to, int flag, size_t size, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = inside(to, ~0ul >> 1, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int __snprintf_chk(char *to, size_t capacity, int flag, size_t size, const char *text,
                           ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = inside(to, capacity, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int fputc(int c, FILE *file) {
  char byte = (char)c;
  if (!is_output(file))
    return EOF;
  nanoscope_print(file->descriptor, &byte, 1);
  return (unsigned char)c;
}

LIBRARY int putc(int c, FILE *file) { return fputc(c, file); }
LIBRARY int _IO_putc(int c, FILE *file) { return fputc(c, file); }
LIBRARY int putchar(int c) { return fputc(c, &files[1]); }
LIBRARY int putchar_unlocked(int c) { return fputc(c, &files[1]); }

LIBRARY int fputs(const char *text, FILE *file) {
  if (!is_output(file))
    return EOF;
  long length = nanoscope_text(text, ~0ul);
  if (length < 0)
    nanoscope_print(file->descriptor, "?", 1);
  else
    nanoscope_print(file->descriptor, text, (size_t)length);
  return 1;
}

LIBRARY int puts(const char *text) {
  fputs(text, &files[1]);
  return fputc('\n', &files[1]) == '\n' ? (int)nanoscope_unspecified() : EOF;
}

LIBRARY size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
  if (!is_output(file) || !size)
    return 0;
  nanoscope_print(file->descriptor, from, size * count);
  return count;
}

LIBRARY ssize_t write(int descriptor, const void *from, size_t count) {
  if (descriptor != 1 && descriptor != 2)
    return -1;
  nanoscope_print(descriptor, from, count);
  return (ssize_t)count;
}

LIBRARY void perror(const char *text) {
  if (text && *text) {
    fputs(text, &files[2]);
    fputs(": ", &files[2]);
  }
  fputs("an error\n", &files[2]);
}

LIBRARY int fflush(FILE *file) { return 0; }
LIBRARY void setbuf(FILE *file, char *store) {}
LIBRARY int setvbuf(FILE *file, char *store, int mode, size_t size) { return 0; }
LIBRARY void setlinebuf(FILE *file) {}
LIBRARY int fileno(FILE *file) { return file->descriptor; }
