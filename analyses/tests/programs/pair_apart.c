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
  double x = within(0, 1), y = x + 2;
  for (int i = 0; i < 100000; i++) {
    double d = within(0, 0.125);
    x += d;
    y += d;
    assert(y - x >= 1.9 && y - x <= 2.1);
  }
}
