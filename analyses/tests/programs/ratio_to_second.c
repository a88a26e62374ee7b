// expect: assertion-failure at 20
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
static double greater(double a, double b) { return a > b ? a : b; }
int main(void) {
  double x = fabs(within(-1e200, 1e200)), y = fabs(within(-1e200, 1e200));
  double z = fabs(within(-1e200, 1e200));
  double w = greater(x, y);
  if (w > 1e-100) {
    double p = x / w, q = y / w, r = z / w;
    assert(p * p + q * q + r * r <= 3);
  }
}
