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
  double s0 = 0, s1 = 0;
  int n = 0;
  while (__VERIFIER_nondet_int()) {
    double s2 = 1.5 * s1 - 1.0 * s0 + within(-1, 1);
    s0 = s1;
    s1 = s2;
    if (++n == 10) {
      n = 0;
      s0 = 0;
      s1 = 0;
    }
    assert(s1 >= -16 && s1 <= 16);
  }
}
