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
  float z1 = 0, z2 = 0;
  while (__VERIFIER_nondet_int()) {
    float x = within(-1, 1);
    float y = 0.2f * x + z1;
    z1 = 0.4f * x + 0.8f * y + z2;
    z2 = 0.2f * x - 0.5f * y;
    assert(y >= -2.2f && y <= 2.2f);
  }
}
