// expect: assertion-failure at 11
// note: feasible by absorption, though not over the reals
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = 1.0e12, z = 0;
  if (x > 0.0)
    z = x + y;
  if (z == y)
    assert(x == 0);
}
