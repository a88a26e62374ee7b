// expect: assertion-failure at 17
// flags: -lm
#include <assert.h>
#include <math.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);
float __VERIFIER_nondet_float(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double x = within(0, 2);
  assert(sqrt(x) >= x);
}
