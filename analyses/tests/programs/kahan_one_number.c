// expect: holds
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!isfinite(x))
    return 0;
  double a[3] = {0, x, 0}, sum = 0, rest = 0;
  for (int i = 0; i < 3; i++) {
    double y = a[i] - rest, t = sum + y;
    rest = (t - sum) - y;
    sum = t;
  }
  assert(sum == x);
}
