// expect: holds
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  // The sum of two doubles of similar size is exact in quadruple precision.
  double x = __VERIFIER_nondet_double();
  if (x >= 1 && x <= 2)
    assert((__float128)x + 1 - 1 == (__float128)x);
}
