// expect: assertion-failure at 11
// flags: -lm
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  // The largest double below one half gives 1.
  double x = __VERIFIER_nondet_double();
  if (x >= 0 && x < 1e9)
    assert(floor(x + 0.5) == round(x));
}
