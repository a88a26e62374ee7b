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
  double s[3] = {0, 0, 0};
  while (__VERIFIER_nondet_int()) {
    for (int i = 2; i > 0; i--)
      s[i] = s[i - 1];
    s[0] = 1.5 * s[1] - 0.7 * s[2] + within(-1, 1);
    assert(s[0] >= -9.4 && s[0] <= 9.4);
  }
}
