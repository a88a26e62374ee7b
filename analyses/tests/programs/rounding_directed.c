// expect: holds
// flags: -lm -frounding-math
#include <assert.h>
double __VERIFIER_nondet_double(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 1 && x <= 2))
    return 0;
  fesetround(FE_DOWNWARD);
  double low = x + 0.1;
  fesetround(FE_UPWARD);
  double high = x + 0.1;
  fesetround(FE_TONEAREST);
  double near = x + 0.1;
  assert(low <= near && near <= high);
}
