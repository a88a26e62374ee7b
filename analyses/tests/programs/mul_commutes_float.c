// expect: holds
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  float a = x * y, b = y * x;
  assert(a == b || (isnan(a) && isnan(b)));
}
