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
    float x = within(-128, 128), d = within(0, 16);
    float s = y, r = x - s;
    y = x;
    if (r <= -d)
      y = s - d;
    else if (r >= d)
      y = s + d;
  }
  assert(y >= -128.01f && y <= 128.01f);
}
