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
  double y = 0, v = 0;
  while (__VERIFIER_nondet_int()) {
    double x = within(-10, 10);
    v = 0.9 * v + 0.1 * (x - y);
    y = y + 0.1 * v;
    if (y > 4)
      y = 4;
    if (y < -4)
      y = -4;
    assert(v >= -14.1 && v <= 2.5);
  }
}
