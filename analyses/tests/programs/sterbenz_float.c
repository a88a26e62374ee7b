// expect: holds
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  // Sterbenz: the difference of two floats within a factor of two is exact.
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  if (y >= 1 && y <= 4 && y / 2 <= x && x <= 2 * y)
    assert((double)(x - y) == (double)x - (double)y);
}
