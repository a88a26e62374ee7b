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
  double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (;;) {
    double x = within(-1, 1);
    double y = 0.2 * x + 0.4 * x1 + 0.2 * x2 + 0.8 * y1 - 0.5 * y2;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
    assert(y >= -2.2 && y <= 2.2);
  }
}
