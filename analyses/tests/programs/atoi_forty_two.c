// expect: assertion-failure at 10
#include <assert.h>
#include <klee/klee.h>

#include <stdlib.h>
int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  assert(atoi(s) != 42);
}
