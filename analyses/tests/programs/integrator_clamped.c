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
  float integral = 0;
  while (__VERIFIER_nondet_int()) {
    integral += 0.01f * within(-10, 10);
    if (integral > 1)
      integral = 1;
    else if (integral < -1)
      integral = -1;
    assert(integral >= -1 && integral <= 1);
  }
}
