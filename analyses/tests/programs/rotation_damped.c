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
  double a = 0, b = 0;
  for (;;) {
    double u = within(-1, 1);
    double next = 0.6 * a - 0.7 * b + u;
    b = 0.7 * a + 0.6 * b;
    a = next;
    assert(a * a + b * b < 1000);
  }
}
