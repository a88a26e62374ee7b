// expect: holds
// flags: -O2
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

typedef float lanes __attribute__((vector_size(16)));
int main(void) {
  lanes a, b = {1, 2, 4, 8};
  for (int i = 0; i < 4; i++)
    a[i] = __VERIFIER_nondet_float();
  lanes c = a * b;
  for (int i = 0; i < 4; i++)
    assert(c[i] == a[i] * (float)(1 << i) || isnan(a[i]));
}
