// expect: assertion-failure at 9
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  if (fabs(x) <= 1e308 && fabs(y) <= 1e308)
    assert(isfinite(x + y));
}
