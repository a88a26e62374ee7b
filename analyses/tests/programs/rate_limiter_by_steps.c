// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
float __VERIFIER_nondet_float(void);
static float within(float low, float high) {
  float x = __VERIFIER_nondet_float();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  float y = 0;
  for (;;) {
    float d = within(-10, 10) - y;
    if (d > 2.0f)
      d = 2.0f;
    if (d < -0.5f)
      d = -0.5f;
    y = y + d;
    assert(y >= -10.01f && y <= 10.01f);
  }
}
