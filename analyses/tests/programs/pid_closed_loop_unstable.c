// expect: assertion-failure at 19
// loops: 4
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double position = 0, integral = 0;
  for (;;) {
    double error = within(-1, 1) - position;
    integral = integral + 0.1 * error;
    double u = 0.8 * error + 0.5 * integral;
    position = position + 2.5 * (u - position);
    assert(position >= -3 && position <= 3);
  }
}
