// expect: holds
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
  float y = 0;
  while (__VERIFIER_nondet_int()) {
    float x = within(-10, 10);
    y = y + 0.25f * (x - y);
    float out = y > 8 ? 8 : y < -8 ? -8 : y;
    assert(out >= -8 && out <= 8);
    assert(y >= -10.01f && y <= 10.01f);
  }
}
