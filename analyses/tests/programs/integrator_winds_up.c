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
  double integral = 0;
  for (;;) {
    double error = within(-10, 10);
    double output = 2 * error + 0.5 * integral;
    double limited = output > 5 ? 5 : output < -5 ? -5 : output;
    integral += 0.1 * error + 0.9 * (output - limited);
    assert(integral >= -110 && integral <= 110);
  }
}
