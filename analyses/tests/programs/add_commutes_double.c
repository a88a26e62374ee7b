// expect: holds
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  double a = x + y, b = y + x;
  assert(a == b || (isnan(a) && isnan(b)));
}
