// expect: holds
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double a = __VERIFIER_nondet_double();
  if (!(a >= 1.0 && a <= 2.0))
    return 0;
  double x = 1.457 - 0.5 * a;
  for (int i = 0; i < 4; i++)
    x = x * (2.0 - a * x);
  double r = a * x - 1.0;
  assert(r <= 1e-9 && r >= -1e-9);
}
