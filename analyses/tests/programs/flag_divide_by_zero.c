// expect: holds
// flags: -lm -frounding-math
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  feclearexcept(FE_ALL_EXCEPT);
  volatile double q = x / y;
  if (fetestexcept(FE_DIVBYZERO))
    assert(y == 0 && isfinite(x) && x != 0);
}
