// expect: assertion-failure at 26
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
  double s0 = 0, s1 = 0;
  unsigned k = 0;
  while (__VERIFIER_nondet_int()) {
    double e = within(-1, 1), s2;
    if (k == 0)
      s2 = 1.2 * s1 - 0.5 * s0 + e;
    else if (k == 1)
      s2 = 0.9 * s1 - 0.6 * s0 + e;
    else
      s2 = 1.0 * s1 - 0.4 * s0 + e;
    s0 = s1;
    s1 = s2;
    k = (k + 1) % 3;
    assert(s1 >= -3 && s1 <= 3);
  }
}
