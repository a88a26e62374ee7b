// expect: holds
#include <assert.h>
#include <klee/klee.h>

#include <stdlib.h>
int main(void) {
  char s[4], *end;
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  double x = strtod(s, &end);
  assert(end >= s && end <= s + 3);
  assert(end != s || x == 0);
}
