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
  double low = 0, band = 0;
  for (;;) {
    double in = within(-1, 1);
    double high = in - low - 0.9 * band;
    band = band + 0.3 * high;
    low = low + 0.3 * band;
    assert(low >= -1.6 && low <= 1.6);
  }
}
