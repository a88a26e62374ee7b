// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

union parts {
  float value;
  unsigned bits;
};
int main(void) {
  union parts p = {__VERIFIER_nondet_float()};
  int exponent = (int)(p.bits >> 23 & 255);
  if (isnormal(p.value))
    assert(ilogbf(p.value) == exponent - 127);
  else
    assert(exponent == 0 || exponent == 255);
}
