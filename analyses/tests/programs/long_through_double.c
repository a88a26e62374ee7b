// expect: assertion-failure at 8
#include <assert.h>

long __VERIFIER_nondet_long(void);
int main(void) {
  long n = __VERIFIER_nondet_long();
  if (n > -(1l << 62) && n < 1l << 62)
    assert((long)(double)n == n);
}
