// expect: assertion-failure at 24
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
    double e = within(-1, 1), next;
    if (__VERIFIER_nondet_int()) {
      next = e;
      s = e;
    } else
      next = 2.5 * s - 1.2 * s0 + e;
    s0 = s;
    s = next;
    assert(s >= -5 && s <= 5);
  }
}
