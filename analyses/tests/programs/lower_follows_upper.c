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
  double low = 0, high = 1;
  while (__VERIFIER_nondet_int()) {
    double d = within(0, 1);
    if (high > 1e9)
      break;
    high += d;
    low += d;
    assert(low <= high);
  }
}
