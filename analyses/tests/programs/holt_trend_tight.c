// expect: assertion-failure at 18
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
  double level = 0, trend = 0;
  for (;;) {
    double x = within(-1, 1), before = level;
    level = 0.5 * x + 0.5 * (level + trend);
    trend = 0.3 * (level - before) + 0.7 * trend;
    assert(level >= -2 && level <= 0.9);
  }
}
