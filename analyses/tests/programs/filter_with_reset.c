// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);
float __VERIFIER_nondet_float(void);

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
      next = 1.5 * s - 0.7 * s0 + e;
    s0 = s;
    s = next;
    assert(s >= -25 && s <= 25);
  }
}
