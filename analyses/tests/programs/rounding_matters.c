// expect: assertion-failure at 16
// flags: -lm -frounding-math
#include <assert.h>
double __VERIFIER_nondet_double(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 1 && x <= 2))
    return 0;
  double near = x / 3;
  fesetround(FE_UPWARD);
  double high = x / 3;
  fesetround(FE_TONEAREST);
  assert(near == high);
}
