// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  double low = fmin(x, y), high = fmax(x, y);
  assert(low <= high || (isnan(x) && isnan(y)));
}
