// expect: assertion-failure at 10
// flags: -lm
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x >= -10 && x <= 10)
    assert(exp(x) > 1.0);
}
