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
  double a = fabs(within(-1e300, 1e300)), b = fabs(within(-1e300, 1e300));
  double r;
  if (a > b)
    r = a * sqrt(1 + (b / a) * (b / a));
  else if (b > 0)
    r = b * sqrt(1 + (a / b) * (a / b));
  else
    r = 0;
  assert(r <= 1.7e308);
}
