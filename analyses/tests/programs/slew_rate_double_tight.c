// expect: assertion-failure at 23
// loops: 4
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double y = 0;
  for (int i = 0; i < 100000; i++) {
    double x = within(-10, 10), d = within(0.5, 1);
    double change = x - y;
    if (change > d)
      y = y + d;
    else if (change < -d)
      y = y - d;
    else
      y = x;
    assert(y <= 1.5);
  }
}
