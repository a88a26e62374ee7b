// expect: holds
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  if (!(x < y) && !(x > y) && !(x == y))
    assert(isnan(x) || isnan(y));
}
