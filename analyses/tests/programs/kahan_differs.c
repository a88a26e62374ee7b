// expect: assertion-failure at 16
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float a[3] = {1.0f, __VERIFIER_nondet_float(), __VERIFIER_nondet_float()};
  if (!(a[1] > 0 && a[1] < 1 && a[2] > 0 && a[2] < 1))
    return 0;
  float plain = 0, sum = 0, rest = 0;
  for (int i = 0; i < 3; i++) {
    plain += a[i];
    float y = a[i] - rest, t = sum + y;
    rest = (t - sum) - y;
    sum = t;
  }
  assert(sum == plain);
}
