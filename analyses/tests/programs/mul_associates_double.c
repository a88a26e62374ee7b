// expect: assertion-failure at 8
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  if (x > 1 && x < 2 && y > 1 && y < 2)
    assert((x * y) * 3.0 == x * (y * 3.0));
}
