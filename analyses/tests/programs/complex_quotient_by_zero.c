// expect: assertion-failure at 12
// flags: -lm
#include <assert.h>
#include <complex.h>
#include <math.h>
double __VERIFIER_nondet_double(void);
int main(void) {
  double re = __VERIFIER_nondet_double();
  if (!(re >= 0 && re <= 4))
    return 0;
  double _Complex z = 1 / (re + 0.0 * I);
  assert(isfinite(creal(z))); // one by zero is infinite
}
