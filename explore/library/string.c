// string.h and strings.h, byte by byte: a path for every way a byte can compare.

#include "library.h"

LIBRARY size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}

LIBRARY size_t strnlen(const char *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n])
    n++;
  return n;
}

LIBRARY int strcmp(const char *a, const char *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return (unsigned char)*a - (unsigned char)*b;
}

LIBRARY int strncmp(const char *a, const char *b, size_t n) {
  for (; n; n--, a++, b++) {
    if (*a != *b || !*a)
      return (unsigned char)*a - (unsigned char)*b;
  }
  return 0;
}

LIBRARY int strcoll(const char *a, const char *b) { return strcmp(a, b); }

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

LIBRARY int strcasecmp(const char *a, const char *b) {
  for (;; a++, b++) {
    int x = lower((unsigned char)*a), y = lower((unsigned char)*b);
    if (x != y || !x)
      return x - y;
  }
}

LIBRARY int strncasecmp(const char *a, const char *b, size_t n) {
  for (; n; n--, a++, b++) {
    int x = lower((unsigned char)*a), y = lower((unsigned char)*b);
    if (x != y || !x)
      return x - y;
  }
  return 0;
}

LIBRARY char *stpcpy(char *to, const char *from) {
  while ((*to = *from)) {
    to++;
    from++;
  }
  return to;
}

LIBRARY char *strcpy(char *to, const char *from) {
  stpcpy(to, from);
  return to;
}

LIBRARY char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++)
    to[i] = from[i];
  for (; i < n; i++)
    to[i] = 0;
  return to;
}

LIBRARY char *strcat(char *to, const char *from) {
  stpcpy(to + strlen(to), from);
  return to;
}

LIBRARY char *strncat(char *to, const char *from, size_t n) {
  char *end = to + strlen(to);
  for (; n && *from; n--)
    *end++ = *from++;
  *end = 0;
  return to;
}

LIBRARY char *strchr(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c)
      return (char *)s;
    if (!*s)
      return 0;
  }
}

LIBRARY char *index(const char *s, int c) { return strchr(s, c); }

LIBRARY char *strchrnul(const char *s, int c) {
  while (*s && *s != (char)c)
    s++;
  return (char *)s;
}

LIBRARY char *strrchr(const char *s, int c) {
  const char *found = 0;
  for (;; s++) {
    if (*s == (char)c)
      found = s;
    if (!*s)
      return (char *)found;
  }
}

LIBRARY char *rindex(const char *s, int c) { return strrchr(s, c); }

LIBRARY size_t strspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && strchr(set, s[n]))
    n++;
  return n;
}

LIBRARY size_t strcspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && !strchr(set, s[n]))
    n++;
  return n;
}

LIBRARY char *strpbrk(const char *s, const char *set) {
  s += strcspn(s, set);
  return *s ? (char *)s : 0;
}

LIBRARY char *strstr(const char *s, const char *part) {
  size_t n = strlen(part);
  for (;; s++) {
    if (!strncmp(s, part, n))
      return (char *)s;
    if (!*s)
      return 0;
  }
}

LIBRARY char *strtok_r(char *s, const char *set, char **rest) {
  if (!s)
    s = *rest;
  s += strspn(s, set);
  if (!*s) {
    *rest = s;
    return 0;
  }
  char *end = s + strcspn(s, set);
  if (*end)
    *end++ = 0;
  *rest = end;
  return s;
}

static char *token_rest;

LIBRARY char *strtok(char *s, const char *set) { return strtok_r(s, set, &token_rest); }

LIBRARY char *strsep(char **s, const char *set) {
  char *start = *s;
  if (!start)
    return 0;
  char *end = start + strcspn(start, set);
  if (*end)
    *end++ = 0;
  else
    end = 0;
  *s = end;
  return start;
}

LIBRARY char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = malloc(n);
  return copy ? memcpy(copy, s, n) : 0;
}

LIBRARY char *strndup(const char *s, size_t most) {
  size_t n = strnlen(s, most);
  char *copy = malloc(n + 1);
  if (!copy)
    return 0;
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

LIBRARY int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *x = a, *y = b;
  for (; n; n--, x++, y++) {
    if (*x != *y)
      return *x - *y;
  }
  return 0;
}

LIBRARY int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

LIBRARY void *memchr(const void *s, int c, size_t n) {
  const unsigned char *at = s;
  for (; n; n--, at++) {
    if (*at == (unsigned char)c)
      return (void *)at;
  }
  return 0;
}

LIBRARY void *memrchr(const void *s, int c, size_t n) {
  const unsigned char *at = s;
  while (n--) {
    if (at[n] == (unsigned char)c)
      return (void *)(at + n);
  }
  return 0;
}

LIBRARY void *rawmemchr(const void *s, int c) {
  const unsigned char *at = s;
  while (*at != (unsigned char)c)
    at++;
  return (void *)at;
}

LIBRARY void *mempcpy(void *to, const void *from, size_t n) {
  return (char *)memcpy(to, from, n) + n;
}

LIBRARY void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *t = to;
  const unsigned char *f = from;
  for (; n; n--) {
    if ((*t++ = *f++) == (unsigned char)c)
      return t;
  }
  return 0;
}

LIBRARY void *memmem(const void *s, size_t n, const void *part, size_t m) {
  const char *at = s;
  for (; n >= m; n--, at++) {
    if (!memcmp(at, part, m))
      return (void *)at;
  }
  return 0;
}

LIBRARY void bcopy(const void *from, void *to, size_t n) { memmove(to, from, n); }

LIBRARY void bzero(void *s, size_t n) { memset(s, 0, n); }

LIBRARY char *strerror(int number) {
  (void)number;
  nanoscope_assumed("strerror gives some text");
  return (char *)"an error";
}
