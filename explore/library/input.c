// stdio.h, what it reads: standard input, files that are there, and strings by sscanf.

#include "library.h"

// A stream: what was read of it, what was put back, and whether its end was seen.
struct stream {
  long file;
  unsigned long position;
  int put_back, ended, is_open;
};

enum { STANDARD_INPUT = -1, FIRST = 3, MOST = 16 };

static struct stream standard = {STANDARD_INPUT, 0, EOF, 0, 1};
static struct stream opened[MOST];
static FILE opened_files[MOST];

// The stream of a descriptor that can be read; else null.
static struct stream *stream_of(int descriptor) {
  if (descriptor == 0)
    return &standard;
  if (descriptor < FIRST || descriptor >= FIRST + MOST || !opened[descriptor - FIRST].is_open)
    return 0;
  return &opened[descriptor - FIRST];
}

static int next_byte(struct stream *stream) {
  if (!stream)
    return EOF;
  if (stream->put_back != EOF) {
    int byte = stream->put_back;
    stream->put_back = EOF;
    return byte;
  }
  int byte = stream->file == STANDARD_INPUT ? nanoscope_stdin(stream->position)
                                            : nanoscope_file_byte(stream->file, stream->position);
  if (byte == EOF)
    stream->ended = 1;
  else
    stream->position++;
  return byte;
}

// Opens a file for reading: its descriptor, or -1.
static int open_file(const char *name, int reads_only) {
  if (!reads_only) {
    nanoscope_assumed("no file can be written");
    errno = EACCES;
    return -1;
  }
  long file = nanoscope_file(name);
  if (file < 0) {
    if (file == -2)
      nanoscope_assumed("only regular files of at most a megabyte can be opened");
    errno = file == -2 ? EACCES : ENOENT;
    return -1;
  }
  for (int i = 0; i < MOST; i++) {
    if (!opened[i].is_open) {
      opened[i] = (struct stream){file, 0, EOF, 0, 1};
      opened_files[i].descriptor = FIRST + i;
      return FIRST + i;
    }
  }
  nanoscope_assumed("no more than 16 files can be open");
  errno = EMFILE;
  return -1;
}

LIBRARY int open(const char *name, int flags, ...) {
  enum { ACCESS = 3, CREATE = 0100 };
  return open_file(name, !(flags & (ACCESS | CREATE)));
}

LIBRARY int close(int descriptor) {
  struct stream *stream = stream_of(descriptor);
  if (descriptor >= 0 && descriptor < FIRST)
    return 0;
  if (!stream) {
    errno = EBADF;
    return -1;
  }
  stream->is_open = 0;
  return 0;
}

LIBRARY FILE *fopen(const char *name, const char *mode) {
  int writes = *mode != 'r' || strchr(mode, '+') != 0;
  int descriptor = open_file(name, !writes);
  return descriptor < 0 ? 0 : &opened_files[descriptor - FIRST];
}

LIBRARY int fclose(FILE *file) { return close(file->descriptor) ? EOF : 0; }

LIBRARY int access(const char *name, int mode) {
  enum { WRITE = 2, RUN = 1 };
  if (mode & (WRITE | RUN))
    nanoscope_assumed("no file can be written or run");
  long file = nanoscope_file(name);
  if (file == -2)
    nanoscope_assumed("only regular files of at most a megabyte can be read");
  if (file >= 0 && !(mode & (WRITE | RUN)))
    return 0;
  errno = file == -1 ? ENOENT : EACCES;
  return -1;
}

// Only files have a size and can be wound back; standard input is read once.
static long wind(struct stream *stream, long offset, int whence) {
  if (!stream || stream->file == STANDARD_INPUT || whence < 0 || whence > 2) {
    errno = EINVAL;
    return -1;
  }
  long here = (long)stream->position - (stream->put_back != EOF);
  long from = whence == 0 ? 0 : whence == 1 ? here : nanoscope_file_size(stream->file);
  if (offset < -from) {
    errno = EINVAL;
    return -1;
  }
  stream->position = (unsigned long)(from + offset);
  stream->put_back = EOF;
  stream->ended = 0;
  return from + offset;
}

LIBRARY long lseek(int descriptor, long offset, int whence) {
  return wind(stream_of(descriptor), offset, whence);
}

LIBRARY int fseek(FILE *file, long offset, int whence) {
  return wind(stream_of(file->descriptor), offset, whence) < 0 ? -1 : 0;
}

LIBRARY long ftell(FILE *file) { return wind(stream_of(file->descriptor), 0, 1); }
LIBRARY void rewind(FILE *file) { fseek(file, 0, 0); }

LIBRARY int getchar(void) { return next_byte(&standard); }
LIBRARY int getchar_unlocked(void) { return next_byte(&standard); }

LIBRARY int fgetc(FILE *file) { return next_byte(stream_of(file->descriptor)); }
LIBRARY int getc(FILE *file) { return fgetc(file); }
LIBRARY int _IO_getc(FILE *file) { return fgetc(file); }

LIBRARY int ungetc(int c, FILE *file) {
  struct stream *stream = stream_of(file->descriptor);
  if (c == EOF || !stream)
    return EOF;
  stream->put_back = (unsigned char)c;
  stream->ended = 0;
  return stream->put_back;
}

LIBRARY int feof(FILE *file) {
  struct stream *stream = stream_of(file->descriptor);
  return stream && stream->ended;
}

LIBRARY int ferror(FILE *file) { return 0; }

LIBRARY void clearerr(FILE *file) {
  struct stream *stream = stream_of(file->descriptor);
  if (stream)
    stream->ended = 0;
}

LIBRARY char *fgets(char *to, int capacity, FILE *file) {
  struct stream *stream = stream_of(file->descriptor);
  if (capacity <= 0 || !stream)
    return 0;
  int count = 0;
  while (count < capacity - 1) {
    int byte = next_byte(stream);
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
    int byte = next_byte(&standard);
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
  struct stream *stream = stream_of(file->descriptor);
  if (!stream || !size)
    return 0;
  size_t whole = 0;
  for (char *at = to; whole < count; whole++) {
    for (size_t i = 0; i < size; i++) {
      int byte = next_byte(stream);
      if (byte == EOF)
        return whole;
      *at++ = (char)byte;
    }
  }
  return whole;
}

LIBRARY ssize_t read(int descriptor, void *to, size_t count) {
  struct stream *stream = stream_of(descriptor);
  if (!stream) {
    errno = EBADF;
    return -1;
  }
  size_t got = 0;
  for (; got < count; got++) {
    int byte = next_byte(stream);
    if (byte == EOF)
      break;
    ((char *)to)[got] = (char)byte;
  }
  return (ssize_t)got;
}

LIBRARY ssize_t getline(char **line, size_t *capacity, FILE *file) {
  struct stream *stream = stream_of(file->descriptor);
  if (!stream)
    return -1;
  size_t count = 0;
  for (;;) {
    int byte = next_byte(stream);
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

// Where scanf reads: a string, or a stream.
typedef struct {
  const char *text;
  struct stream *stream;
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
    byte = next_byte(s->stream);
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
    s->stream->put_back = byte;
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
  source s = {0, &standard, 0};
  return scan(&s, text, arguments);
}

LIBRARY int vfscanf(FILE *file, const char *text, va_list arguments) {
  source s = {0, stream_of(file->descriptor), 0};
  return s.stream ? scan(&s, text, arguments) : EOF;
}

LIBRARY int vsscanf(const char *from, const char *text, va_list arguments) {
  source s = {from, 0, 0};
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
  va_list arguments;
  va_start(arguments, text);
  int count = vfscanf(file, text, arguments);
  va_end(arguments);
  return count;
}

LIBRARY int __isoc99_fscanf(FILE *file, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int count = vfscanf(file, text, arguments);
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
