// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
static double step(double input) {
  static double s1, s0;
  double s2 = 1.5 * s1 - 0.7 * s0 + input;
  s0 = s1;
  s1 = s2;
  return s2;
}
int main(void) {
  for (;;) {
    double y = step(within(-1, 1));
    assert(y >= -9.4 && y <= 9.4);
  }
}
