// expect: assertion-failure at 11
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

#include <stdlib.h>
int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  assert(!isinf(strtof(s, 0)));
}
