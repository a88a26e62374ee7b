// expect: holds
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double b = __VERIFIER_nondet_double();
  if (b > 2 && b < 3)
    assert(b * b - 4.0 > 0);
}
