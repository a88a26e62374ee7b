// expect: assertion-failure at 12
#include <assert.h>
#include <klee/klee.h>

#include <stdlib.h>
int main(void) {
  char s[4], *end;
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume(s[1] == '.');
  klee_assume(s[3] == 0);
  double x = strtod(s, &end);
  assert(x != 2.5);
}
