// expect: assertion-failure at 13
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  // A nonzero determinant is no promise that there is an inverse.
  double a = __VERIFIER_nondet_double(), d = __VERIFIER_nondet_double();
  if (!(fabs(a) <= 1 && fabs(d) <= 1))
    return 0;
  double determinant = a * d;
  if (determinant != 0)
    assert(isfinite(d / determinant));
}
