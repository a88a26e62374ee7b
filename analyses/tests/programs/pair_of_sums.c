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
  float a = 0, b = 0;
  for (int i = 0; i < 100000; i++) {
    if (__VERIFIER_nondet_int()) {
      a += 1;
      b += 1;
    } else if (a > 10) {
      a -= 0.5f;
      b -= 0.5f;
    }
  }
  assert(a - b <= 0.01f && b - a <= 0.01f);
}
