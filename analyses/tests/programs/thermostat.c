// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
float __VERIFIER_nondet_float(void);
static float within(float low, float high) {
  float x = __VERIFIER_nondet_float();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  float t = 20;
  int on = 0;
  for (;;) {
    if (t < 18)
      on = 1;
    if (t > 22)
      on = 0;
    float loss = within(0.1f, 0.5f);
    t = on ? t + 0.75f - loss : t - loss;
    assert(t >= 17.4f && t <= 22.8f);
  }
}
