// expect: assertion-failure at 14
// flags: -lm -frounding-math
#include <assert.h>
double __VERIFIER_nondet_double(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 0 && x <= 4503599627370496.0))
    return 0;
  feclearexcept(FE_ALL_EXCEPT);
  volatile double s = x + 1.0;
  assert(!fetestexcept(FE_INEXACT));
}
