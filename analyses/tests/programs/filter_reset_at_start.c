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
  float e0 = 0, e1, p1 = 0, p, s1 = 0, s;
  int first = 1;
  for (;;) {
    float e = within(-10, 10);
    if (first) {
      s = e;
      p = e;
      e1 = e;
    } else {
      p = 0.5f * e - 0.7f * e0 + 0.4f * e1 + 1.5f * s - 0.7f * s1;
    }
    first = __VERIFIER_nondet_int();
    e1 = e0;
    e0 = e;
    s1 = s;
    s = p;
    assert(p >= -200 && p <= 200);
  }
}
