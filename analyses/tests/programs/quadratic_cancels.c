// expect: assertion-failure at 9
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  // The root of 5 is less than 2.2360680: the square of the float above it rounds to 5.
  float b = __VERIFIER_nondet_float(), c = 5.0f;
  if (b > 2.236067978 && b < 3)
    assert(b * b - c > 0);
}
