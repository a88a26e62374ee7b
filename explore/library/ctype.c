// ctype.h in the C locale, as functions and as the tables behind glibc's macros.

#include "library.h"

LIBRARY int isdigit(int c) { return (unsigned)c - '0' < 10; }
LIBRARY int isupper(int c) { return (unsigned)c - 'A' < 26; }
LIBRARY int islower(int c) { return (unsigned)c - 'a' < 26; }
LIBRARY int isalpha(int c) { return ((unsigned)c | 32) - 'a' < 26; }
LIBRARY int isalnum(int c) {
  return (((unsigned)c | 32) - 'a' < 26) | ((unsigned)c - '0' < 10);
}
LIBRARY int isxdigit(int c) {
  return (((unsigned)c | 32) - 'a' < 6) | ((unsigned)c - '0' < 10);
}
LIBRARY int isspace(int c) { return (c == ' ') | ((unsigned)c - '\t' < 5); }
LIBRARY int isblank(int c) { return (c == ' ') | (c == '\t'); }
LIBRARY int iscntrl(int c) { return ((unsigned)c < 32) | (c == 127); }
LIBRARY int isprint(int c) { return (unsigned)c - 32 < 95; }
LIBRARY int isgraph(int c) { return (unsigned)c - 33 < 94; }
LIBRARY int ispunct(int c) {
  return ((unsigned)c - 33 < 94) & !((((unsigned)c | 32) - 'a' < 26) | ((unsigned)c - '0' < 10));
}
LIBRARY int isascii(int c) { return (c & ~127) == 0; }
LIBRARY int toascii(int c) { return c & 127; }
LIBRARY int tolower(int c) { return (unsigned)c - 'A' < 26 ? c + 32 : c; }
LIBRARY int toupper(int c) { return (unsigned)c - 'a' < 26 ? c - 32 : c; }

// The bits of glibc's table, from its documented macros on a little-endian machine.
enum {
  UPPER = 1 << 8,
  LOWER = 1 << 9,
  ALPHA = 1 << 10,
  DIGIT = 1 << 11,
  XDIGIT = 1 << 12,
  SPACE = 1 << 13,
  PRINT = 1 << 14,
  GRAPH = 1 << 15,
  BLANK = 1 << 0,
  CNTRL = 1 << 1,
  PUNCT = 1 << 2,
  ALNUM = 1 << 3,
};

#define BIG (UPPER | ALPHA | ALNUM | PRINT | GRAPH)
#define SMALL (LOWER | ALPHA | ALNUM | PRINT | GRAPH)
#define NUMBER (DIGIT | XDIGIT | ALNUM | PRINT | GRAPH)
#define SIGN (PUNCT | PRINT | GRAPH)

// Characters -128 to 255.
static const unsigned short classes[384] = {
    [128 + 0 ... 128 + 8] = CNTRL,
    [128 + '\t'] = CNTRL | SPACE | BLANK,
    [128 + '\n'... 128 + '\r'] = CNTRL | SPACE,
    [128 + 14 ... 128 + 31] = CNTRL,
    [128 + ' '] = SPACE | BLANK | PRINT,
    [128 + '!'... 128 + '/'] = SIGN,
    [128 + '0'... 128 + '9'] = NUMBER,
    [128 + ':'... 128 + '@'] = SIGN,
    [128 + 'A'... 128 + 'F'] = BIG | XDIGIT,
    [128 + 'G'... 128 + 'Z'] = BIG,
    [128 + '['... 128 + '`'] = SIGN,
    [128 + 'a'... 128 + 'f'] = SMALL | XDIGIT,
    [128 + 'g'... 128 + 'z'] = SMALL,
    [128 + '{'... 128 + '~'] = SIGN,
    [128 + 127] = CNTRL,
};

static const unsigned short *class_table = classes + 128;

LIBRARY const unsigned short **__ctype_b_loc(void) { return &class_table; }

static int lower_letters[384], upper_letters[384];
static const int *lower_table, *upper_table;

static const int *letters(int *table, int (*change)(int)) {
  for (int c = -128; c < 256; c++)
    table[c + 128] = change(c);
  return table + 128;
}

LIBRARY const int **__ctype_tolower_loc(void) {
  if (!lower_table)
    lower_table = letters(lower_letters, tolower);
  return &lower_table;
}

LIBRARY const int **__ctype_toupper_loc(void) {
  if (!upper_table)
    upper_table = letters(upper_letters, toupper);
  return &upper_table;
}
