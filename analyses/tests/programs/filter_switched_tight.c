// expect: assertion-failure at 23
// loops: 4
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double s0 = 0, s1 = 0;
  while (__VERIFIER_nondet_int()) {
    double e = within(-1, 1), s2;
    if (__VERIFIER_nondet_int())
      s2 = 1.6 * s1 - 0.8 * s0 + e;
    else
      s2 = 1.2 * s1 - 0.5 * s0 + e;
    s0 = s1;
    s1 = s2;
    assert(s1 >= -100 && s1 <= 2.5);
  }
}
