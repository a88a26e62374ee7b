// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (!(x >= 0 && x < 64))
    return 0;
  float r = fmodf(x, 3.0f);
  assert(r >= 0 && r < 3);
}
