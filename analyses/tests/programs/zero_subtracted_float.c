// expect: holds
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (!isnan(x))
    assert(signbit(x - 0.0f) == signbit(x) && x - 0.0f == x);
}
