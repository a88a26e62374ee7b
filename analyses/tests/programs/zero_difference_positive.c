// expect: holds
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (isfinite(x)) {
    double d = x - x;
    assert(d == 0 && !signbit(d));
  }
}
