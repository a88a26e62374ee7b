// expect: holds
#include <assert.h>
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
  double sum = 0;
  for (int i = 0; i < 100000; i++)
    sum += within(-1, 1);
  assert(sum <= 100001);
}
