// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double c = within(-1e100, 1e100), m = within(-1e100, 1e100);
  if (m != 0 && fabs(c) <= fabs(m)) {
    double q = c / m;
    assert(q >= -1 && q <= 1);
  }
}
