// expect: assertion-failure at 16
// loops: 4
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
float __VERIFIER_nondet_float(void);

int main(void) {
  float s0 = 0, s1 = 0;
  while (__VERIFIER_nondet_int()) {
    float e = __VERIFIER_nondet_float();
    __VERIFIER_assume(e >= -1 && e <= 1);
    float s2 = __VERIFIER_nondet_int() ? 1.5f * s1 - 0.7f * s0 + e : 1.4f * s1 - 0.6f * s0 + e;
    s0 = s1;
    s1 = s2;
    assert(s1 >= -100 && s1 <= 2.25f);
  }
}
