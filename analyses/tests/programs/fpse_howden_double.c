// expect: holds
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double();
  double x = a * b + 2;
  if (x > 100) {
    x = 100 - x;
    x = x - 50;
    assert(!(x > 50));
  }
}
