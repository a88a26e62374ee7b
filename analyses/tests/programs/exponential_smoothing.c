// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double level = 0;
  for (;;) {
    double x = within(-50, 50), alpha = 0.1;
    level = alpha * x + (1 - alpha) * level;
    assert(level >= -50.001 && level <= 50.001);
  }
}
