// expect: assertion-failure at 18
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double x = 0, y = 0;
  for (int i = 0; i < 3; i++) {
    double d = within(0, 0.5);
    x = x + d + 0.25;
    y = y + d;
  }
  assert(x - y >= 0.7500001);
}
