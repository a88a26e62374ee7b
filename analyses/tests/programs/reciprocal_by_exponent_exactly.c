// expect: assertion-failure at 28
// flags: -lm
// A first guess from the exponent's bits, then Newton's steps until they are short.
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
double __VERIFIER_nondet_double(void);

static double reciprocal(double a) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  bits = (2045 - (bits >> 52)) << 52;
  double x;
  memcpy(&x, &bits, sizeof x);
  for (;;) {
    double next = x * (2.0 - a * x);
    if (fabs(next - x) <= 1e-6 * next)
      return next;
    x = next;
  }
}

int main(void) {
  double a = __VERIFIER_nondet_double();
  if (!(a >= 0.3 && a <= 5.0))
    return 0;
  assert(a * reciprocal(a) == 1.0);
}
