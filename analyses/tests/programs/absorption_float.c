// expect: assertion-failure at 8
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x > 1e6f && x < 1e8f)
    assert(x + 1.0f > x);
}
