// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
/* Chamberlin's state-variable filter. */
int main(void) {
  double low = 0, band = 0;
  while (__VERIFIER_nondet_int()) {
    double x = within(-1, 1);
    low = low + 0.3 * band;
    double high = x - low - 0.5 * band;
    band = band + 0.3 * high;
    assert(low >= -20 && low <= 20 && band >= -20 && band <= 20);
  }
}
