// expect: holds
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (!(x >= 1 && x <= 2))
    return 0;
  float a[3] = {0, x, 0}, sum = 0, rest = 0;
  for (int i = 0; i < 3; i++) {
    float y = a[i] - rest, t = sum + y;
    rest = (t - sum) - y;
    sum = t;
  }
  assert(sum == x);
}
