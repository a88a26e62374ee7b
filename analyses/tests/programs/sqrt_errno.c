// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

#include <errno.h>
int main(void) {
  double x = __VERIFIER_nondet_double();
  errno = 0;
  double r = sqrt(x);
  assert(errno == 0 || x < 0);
  assert(errno == EDOM || !(x < 0));
  assert(isnan(r) || r >= 0);
}
