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
  double x = 0, v = 0, xh = 0, vh = 0;
  while (__VERIFIER_nondet_int()) {
    double u = -0.4 * xh - 0.9 * vh + within(-1, 1);
    double e = x - xh;
    double x1 = x + 0.1 * v, v1 = v + 0.1 * u;
    xh = xh + 0.1 * vh + 0.5 * e;
    vh = vh + 0.1 * u + 0.6 * e;
    x = x1;
    v = v1;
    assert(x >= -60 && x <= 0);
  }
}
