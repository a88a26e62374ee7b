// expect: assertion-failure at 22
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
  for (;;) {
    double x = within(-100, 100), old = y;
    if (x > y + 2)
      y = y + 1;
    else if (x < y - 1)
      y = y - 1;
    else
      y = x;
    assert(y - old <= 1.0001 && old - y <= 1.0001);
    assert(y >= -100 && y <= 100);
  }
}
