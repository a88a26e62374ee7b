// expect: assertion-failure at 25
// loops: 3
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);
static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double i = 0, y = 0;
  for (;;) {
    double e = within(-10, 10) - y;
    i = 0.95 * i + 0.1 * e;
    if (i > 5)
      i = 5;
    if (i < -5)
      i = -5;
    y = 2 * e + i;
    if (y > 8)
      y = 8;
    if (y < -8)
      y = -8;
    assert(e <= 17 && e >= -18.01 && i <= 5);
  }
}
