// expect: holds
// flags: -lm -frounding-math
#include <assert.h>
int __VERIFIER_nondet_int(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  int mode = __VERIFIER_nondet_int();
  if (fesetround(mode) == 0)
    assert(fegetround() == mode);
  else
    assert(fegetround() == FE_TONEAREST);
}
