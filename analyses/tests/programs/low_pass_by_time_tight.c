// expect: assertion-failure at 18
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double y = 0;
  while (__VERIFIER_nondet_int()) {
    double x = within(-3, 3), dt = within(0.0001, 1);
    double alpha = dt / (0.5 + dt);
    y = y + alpha * (x - y);
    assert(y >= -1.9 && y <= 1.9);
  }
}
