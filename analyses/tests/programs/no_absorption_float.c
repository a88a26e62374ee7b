// expect: holds
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x > 1e6f && x < 1e7f)
    assert(x + 1.0f > x);
}
