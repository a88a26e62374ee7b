// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double a = within(0, 1e6), t = within(0, 1);
  double rest = a - a * t;
  assert(rest >= 0);
}
