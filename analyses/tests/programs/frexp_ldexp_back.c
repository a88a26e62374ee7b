// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!isfinite(x) || x == 0)
    return 0;
  int e;
  double f = frexp(x, &e);
  assert(fabs(f) >= 0.5 && fabs(f) < 1);
  assert(e >= -1073 && e <= 1024);
}
