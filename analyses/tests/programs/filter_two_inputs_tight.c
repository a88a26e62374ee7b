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
  double e = within(0, 1), e0 = within(0, 1), e1;
  double s = 0, s0 = 0, s1;
  for (int i = 0; i < 10000000; i++) {
    e1 = e0;
    e0 = e;
    e = within(0, 1);
    s1 = s0;
    s0 = s;
    s = 0.7 * e - e0 * 1.3 + e1 * 1.1 + s0 * 1.4 - s1 * 0.7;
    assert(s >= -4 && s <= 1.2);
  }
}
