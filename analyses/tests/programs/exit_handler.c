// expect: assertion-failure at 8
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

static int opened;
static void check(void) {
  assert(opened == 0);
}
int main(void) {
  atexit(check);
  opened = 1;
  if (__VERIFIER_nondet_int() == 99)
    exit(0);
  opened = 0;
}
