// expect: holds
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x > 0 && x < 1)
    assert((float)(1.0 + (double)x) == 1.0f + x);
}
