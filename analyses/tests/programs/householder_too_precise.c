// expect: assertion-failure at 16
// flags: -lm
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float a = __VERIFIER_nondet_float();
  if (!(a >= 1.0f && a <= 2.0f))
    return 0;
  float x = 0.8f;
  for (int i = 0; i < 3; i++) {
    float h = 1.0f - a * (x * x);
    x = x + x * (h * (0.5f + 0.375f * h));
  }
  assert(fabsf(1.0f - a * (x * x)) <= 1e-8f);
}
