// expect: assertion-failure at 26
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
  double x = 1, y = 0;
  while (__VERIFIER_nondet_int()) {
    double a, b;
    if (__VERIFIER_nondet_int()) {
      a = 0.76 * x - 0.57 * y;
      b = 0.57 * x + 0.76 * y;
    } else {
      a = 0.76 * x + 0.57 * y;
      b = -0.57 * x + 0.76 * y;
    }
    x = a + within(-0.1, 0.1);
    y = b;
    assert(x >= -10 && x <= 10 && y >= -0.5 && y <= 10);
  }
}
