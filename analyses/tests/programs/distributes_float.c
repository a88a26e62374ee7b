// expect: assertion-failure at 8
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  if (x >= 1 && x <= 2 && y >= 1 && y <= 2)
    assert(0.1f * (x + y) == 0.1f * x + 0.1f * y);
}
