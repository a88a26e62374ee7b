// expect: assertion-failure at 22
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
    double s2 = 1.9 * s1 - 0.97 * s0 + within(-1, 1);
    if (s2 > 50) s2 = 50;
    if (s2 < -50) s2 = -50;
    s0 = s1;
    s1 = s2;
    double d = s1 - s0;
    assert(d >= -100 && d <= 1.5 && s1 <= 50);
  }
}
