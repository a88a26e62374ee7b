// expect: assertion-failure at 20
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
  double s = 0, s0 = 0;
  while (__VERIFIER_nondet_int()) {
    double e = within(0, 1);
    double s1 = 1.4 * s - 0.7 * s0 + e;
    s0 = s;
    s = s1;
    assert(s >= -3 && s <= 2.3);
  }
}
