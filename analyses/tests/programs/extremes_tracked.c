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
  double low = within(-1e6, 1e6), high = low;
  for (;;) {
    double x = within(-1e6, 1e6);
    if (x < low)
      low = x;
    if (x > high)
      high = x;
    assert(low <= high && high - low <= 2e6);
  }
}
