// stdlib.h: integers from text, arithmetic, errno, the environment.

#include "library.h"

static int nanoscope_error_number;

LIBRARY int *__errno_location(void) { return &nanoscope_error_number; }

static int is_space(char c) { return (c == ' ') | ((unsigned char)(c - '\t') < 5); }

// The value of a digit in some base up to 36; 99 of anything else.
static unsigned digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  char letter = c | 32;
  if (letter >= 'a' && letter <= 'z')
    return letter - 'a' + 10;
  return 99;
}

// The magnitude that a text begins with, at most `limit` (one more if negative is allowed to
// reach it); says whether it was too large.
static unsigned long magnitude(const char *s, char **end, int base, int *negative,
                               unsigned long positive_limit, unsigned long negative_limit,
                               int *too_large) {
  const char *start = s;
  *too_large = 0;
  *negative = 0;
  if (end)
    *end = (char *)start;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return 0;
  }
  while (is_space(*s))
    s++;
  if (*s == '-' || *s == '+')
    *negative = *s++ == '-';
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] | 32) == 'x' && digit(s[2]) < 16) {
    s += 2;
    base = 16;
  }
  if (base == 0)
    base = *s == '0' ? 8 : 10;
  unsigned long limit = *negative ? negative_limit : positive_limit;
  unsigned long value = 0;
  unsigned long count = 0;
  for (;; s++, count++) {
    unsigned d = digit(*s);
    if (d >= (unsigned)base)
      break;
    // Few digits fit for sure: no question to ask.
    if (count >= 9 && (*too_large || value > (limit - d) / base)) {
      *too_large = 1;
      continue;
    }
    value = value * base + d;
  }
  if (count == 0)
    return 0;
  if (end)
    *end = (char *)s;
  if (*too_large || value > limit) {
    *too_large = 1;
    errno = ERANGE;
    return limit;
  }
  return value;
}

LIBRARY long strtol(const char *s, char **end, int base) {
  int negative, too_large;
  unsigned long most = ~0ul >> 1;
  unsigned long value = magnitude(s, end, base, &negative, most, most + 1, &too_large);
  return negative ? (long)-value : (long)value;
}

LIBRARY unsigned long strtoul(const char *s, char **end, int base) {
  int negative, too_large;
  unsigned long value = magnitude(s, end, base, &negative, ~0ul, ~0ul, &too_large);
  return negative && !too_large ? -value : value;
}

LIBRARY long long strtoll(const char *s, char **end, int base) { return strtol(s, end, base); }
LIBRARY unsigned long long strtoull(const char *s, char **end, int base) {
  return strtoul(s, end, base);
}
LIBRARY long strtoimax(const char *s, char **end, int base) { return strtol(s, end, base); }
LIBRARY unsigned long strtoumax(const char *s, char **end, int base) {
  return strtoul(s, end, base);
}
LIBRARY long __isoc23_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
LIBRARY unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
  return strtoul(s, end, base);
}
LIBRARY int atoi(const char *s) { return (int)strtol(s, 0, 10); }
LIBRARY long atol(const char *s) { return strtol(s, 0, 10); }
LIBRARY long long atoll(const char *s) { return strtol(s, 0, 10); }

LIBRARY int abs(int n) { return n < 0 ? (int)(0u - (unsigned)n) : n; }
LIBRARY long labs(long n) { return n < 0 ? (long)(0ul - (unsigned long)n) : n; }
LIBRARY long long llabs(long long n) { return labs(n); }
LIBRARY long imaxabs(long n) { return labs(n); }

typedef struct {
  int quotient, remainder;
} div_t;
typedef struct {
  long quotient, remainder;
} ldiv_t;

LIBRARY div_t div(int a, int b) { return (div_t){a / b, a % b}; }
LIBRARY ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
LIBRARY ldiv_t lldiv(long long a, long long b) { return (ldiv_t){a / b, a % b}; }

LIBRARY char *getenv(const char *name) {
  char **all = nanoscope_environment();
  if (!all) {
    nanoscope_assumed("getenv finds nothing");
    return 0;
  }
  for (; *all; all++) {
    size_t at = 0;
    while (name[at] && name[at] == (*all)[at])
      at++;
    if (!name[at] && (*all)[at] == '=')
      return *all + at + 1;
  }
  return 0;
}

LIBRARY char *secure_getenv(const char *name) { return getenv(name); }

LIBRARY int system(const char *command) {
  (void)command;
  nanoscope_assumed("system starts nothing");
  return -1;
}
