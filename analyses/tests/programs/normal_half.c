// expect: holds
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (isnormal(x)) {
    float half = x * 0.5f;
    assert(half != 0 && fpclassify(half) != FP_ZERO);
  }
}
