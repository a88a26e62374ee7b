// expect: holds
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  if (fabs(x) <= 8e307 && fabs(y) <= 8e307)
    assert(isfinite(x + y));
}
