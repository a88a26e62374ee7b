// expect: holds
// flags: -lm -frounding-math
#include <assert.h>
double __VERIFIER_nondet_double(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  double x = __VERIFIER_nondet_double();
  fenv_t saved;
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_UNDERFLOW);
  feholdexcept(&saved);
  assert(!fetestexcept(FE_ALL_EXCEPT));
  volatile double q = 1.0 / x;
  int divided = fetestexcept(FE_DIVBYZERO);
  fesetenv(&saved);
  assert(fetestexcept(FE_UNDERFLOW) && !fetestexcept(FE_DIVBYZERO));
  assert((divided != 0) == (x == 0));
}
