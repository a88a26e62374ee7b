// expect: holds
#include <assert.h>
#include <klee/klee.h>

#include <ctype.h>
#include <string.h>
int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  size_t n = strlen(s);
  assert(n <= 3 && memchr(s, 0, 4) == s + n);
  char copy[4];
  strcpy(copy, s);
  assert(strcmp(copy, s) == 0);
  if (isupper((unsigned char)s[0]))
    assert(tolower((unsigned char)s[0]) - s[0] == 32);
}
