// expect: assertion-failure at 13
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  // A tiny negative angle plus a full turn is a full turn.
  double a = __VERIFIER_nondet_double();
  if (!(a > -1 && a < 1))
    return 0;
  if (a < 0)
    a += 6.283185307179586;
  assert(a >= 0 && a < 6.283185307179586);
}
