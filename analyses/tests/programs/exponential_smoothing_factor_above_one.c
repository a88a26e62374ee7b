// expect: assertion-failure at 17
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
  double alpha = within(0.05, 1.9), level = 0;
  for (;;) {
    double x = within(-50, 50);
    level = level + alpha * (x - level);
    assert(level >= -50.01 && level <= 50.01);
  }
}
