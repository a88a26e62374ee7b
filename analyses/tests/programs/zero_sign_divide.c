// expect: assertion-failure at 8
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x == 0)
    assert(1 / x > 0);
}
