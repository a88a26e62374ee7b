// expect: holds
// flags: -lm -frounding-math
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!(x > -100 && x < 100))
    return 0;
  fesetround(FE_DOWNWARD);
  assert(rint(x) == floor(x));
  fesetround(FE_UPWARD);
  assert(nearbyint(x) == ceil(x));
  fesetround(FE_TOWARDZERO);
  assert(lrint(x) == (long)x);
}
