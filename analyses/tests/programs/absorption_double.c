// expect: holds
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x > 1e17 && x < 1e300)
    assert(x + 1.0 == x);
}
