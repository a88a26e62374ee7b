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
  while (__VERIFIER_nondet_int()) {
    double s0 = within(-0.1, 0.1), s1 = within(-0.1, 0.1);
    for (int i = 0; i < 1000; i++) {
      double s2 = 1.5 * s1 - 0.7 * s0 + within(-1, 1);
      s0 = s1;
      s1 = s2;
      assert(s1 >= -9.4 && s1 <= 2);
    }
  }
}
