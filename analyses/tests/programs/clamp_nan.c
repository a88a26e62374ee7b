// expect: assertion-failure at 10
#include <assert.h>
double __VERIFIER_nondet_double(void);

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
int main(void) {
  double x = clamp(__VERIFIER_nondet_double(), -1, 1);
  assert(x >= -1 && x <= 1);
}
