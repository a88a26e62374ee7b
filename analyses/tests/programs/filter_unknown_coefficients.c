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
int main(void) {
  double a = within(1.35, 1.4), b = within(0.68, 0.7);
  double s0 = 0, s1 = 0;
  while (__VERIFIER_nondet_int()) {
    double s2 = a * s1 - b * s0 + within(-1, 1);
    s0 = s1;
    s1 = s2;
    assert(s1 >= -12 && s1 <= 12);
  }
}
