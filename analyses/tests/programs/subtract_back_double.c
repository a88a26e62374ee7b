// expect: assertion-failure at 8
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  if (x >= 1 && x <= 1000 && y >= 1 && y <= 1000)
    assert((x + y) - y == x);
}
