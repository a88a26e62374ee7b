// expect: assertion-failure at 9
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = 1.0e12, z = 0;
  if (x < 10000.0)
    z = x + y;
  assert(!(z > y));
}
