// expect: holds
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x > -2147483649.0 && x < 2147483648.0) {
    int n = (int)x;
    assert(fabs(x - n) < 1.0);
  }
}
