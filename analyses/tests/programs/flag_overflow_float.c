// expect: holds
// flags: -lm -frounding-math
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  float x = __VERIFIER_nondet_float();
  feclearexcept(FE_ALL_EXCEPT);
  volatile float p = x * 4.0f;
  if (isinf(p) && isfinite(x))
    assert(fetestexcept(FE_OVERFLOW) && fetestexcept(FE_INEXACT));
  else
    assert(!fetestexcept(FE_OVERFLOW));
}
