// expect: assertion-failure at 19
// loops: 4
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
float __VERIFIER_nondet_float(void);

static float within(float low, float high) {
  float x = __VERIFIER_nondet_float();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  float s = 0, s0 = 0;
  while (__VERIFIER_nondet_int()) {
    float s1 = 1.2f * s - 0.5f * s0 + within(-1, 1);
    s0 = s;
    s = s1;
    assert(s <= 1.8f);
  }
}
