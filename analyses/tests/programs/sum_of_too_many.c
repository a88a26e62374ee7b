// expect: assertion-failure at 15
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double sum = 0;
  for (int i = 0; i < 4; i++)
    sum += within(-1, 1);
  assert(sum <= 3.5);
}
