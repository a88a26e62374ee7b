// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
/* A resonator that is set to the input now and then. */
int main(void) {
  double s0 = 0, s1 = 0;
  while (__VERIFIER_nondet_int()) {
    double e = within(-10, 10);
    if (__VERIFIER_nondet_int()) {
      s0 = e;
      s1 = e;
    } else {
      double s2 = 1.8 * s1 - 0.9 * s0 + 0.05 * e;
      s0 = s1;
      s1 = s2;
    }
    assert(s1 >= -200 && s1 <= 200);
  }
}
