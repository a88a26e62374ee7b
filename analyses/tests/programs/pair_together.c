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
  float x = within(0, 1), y = x;
  for (int i = 0; i < 100000; i++) {
    float d = within(0, 0.125f);
    x += d;
    y += d;
    assert(x == y);
  }
}
