// expect: assertion-failure at 11
// note: feasible by absorption, though not over the reals
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = 1.0e12, z = 0;
  if (x > 0.0)
    z = x + y;
  if (z == y)
    assert(x == 0);
}
