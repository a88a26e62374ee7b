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
  double limit = within(1, 1000), x = 0;
  while (x + 1 <= limit) {
    x += within(0, 2);
    if (x > limit + 0.5)
      x = limit;
    assert(x <= limit);
  }
  assert(x <= 1000);
}
