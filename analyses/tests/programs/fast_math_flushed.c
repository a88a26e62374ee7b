// expect: assertion-failure at 11
// flags: -ffast-math
// Subnormal numbers are zeros in a program that is linked so.
#include <assert.h>
double __VERIFIER_nondet_double(void);
int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  if (!(x >= 1e-300 && x <= 1 && y >= 1e-300 && y <= 1))
    return 0;
  double difference = x - y;
  assert(difference != 0 || x == y);
}
