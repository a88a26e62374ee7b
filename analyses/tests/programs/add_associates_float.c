// expect: assertion-failure at 9
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  float z = __VERIFIER_nondet_float();
  if (x > 0 && x < 100 && y > 0 && y < 100 && z > 0 && z < 100)
    assert((x + y) + z == x + (y + z));
}
