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
  double s = 0, e1 = 0;
  for (int i = 0; i < 1000000; i++) {
    double e = within(-1, 1);
    if (__VERIFIER_nondet_int())
      s = 0;
    else
      s = 0.999 * s + e - e1;
    e1 = e;
    assert(s >= -2001 && s <= 2001);
  }
}
