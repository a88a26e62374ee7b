// expect: assertion-failure at 18
// flags: -O2
#include <assert.h>
float __VERIFIER_nondet_float(void);

typedef float lanes __attribute__((vector_size(16)));
int main(void) {
  float a[4];
  for (int i = 0; i < 4; i++) {
    a[i] = __VERIFIER_nondet_float();
    if (!(a[i] > 0 && a[i] < 1000))
      return 0;
  }
  float in_order = ((a[0] + a[1]) + a[2]) + a[3];
  lanes v = {a[0], a[1], a[2], a[3]};
  lanes w = __builtin_shufflevector(v, v, 2, 3, 0, 1);
  lanes s = v + w;
  assert(s[0] + s[1] == in_order);
}
