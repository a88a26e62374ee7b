// expect: assertion-failure at 9
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x > 0)
    assert(isfinite(1 / x));
}
