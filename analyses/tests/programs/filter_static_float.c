// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
float __VERIFIER_nondet_float(void);

static float within(float low, float high) {
  float x = __VERIFIER_nondet_float();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
static float step(float input) {
  static float s1, s0;
  float s2 = 1.5f * s1 - 0.7f * s0 + input;
  s0 = s1;
  s1 = s2;
  return s2;
}
int main(void) {
  for (;;) {
    float y = step(within(-1, 1));
    assert(y >= -9.4f && y <= 9.4f);
  }
}
