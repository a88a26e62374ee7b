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
/* The pole of a resonator wanders. */
int main(void) {
  double s0 = 0, s1 = 0;
  while (__VERIFIER_nondet_int()) {
    double a = within(1.2, 1.4), e = within(-1, 1);
    double s2 = a * s1 - 0.7 * s0 + e;
    s0 = s1;
    s1 = s2;
    assert(s1 >= -100 && s1 <= 100);
  }
}
