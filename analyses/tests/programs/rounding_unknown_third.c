// expect: assertion-failure at 11
// flags: -lm -frounding-math
#include <assert.h>
int __VERIFIER_nondet_int(void);

#include <fenv.h>
#pragma STDC FENV_ACCESS ON
int main(void) {
  volatile double one = 1, three = 3;
  if (fesetround(__VERIFIER_nondet_int()) == 0)
    assert(one / three < 0.3333333333333333333333L);
}
