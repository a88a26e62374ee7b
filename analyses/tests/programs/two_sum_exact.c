// expect: holds
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  // Knuth's two-sum: sum and error together are exact.
  float a = __VERIFIER_nondet_float();
  if (!(a >= 1 && a <= 1.001f))
    return 0;
  float b = 0.1f, s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
  assert((double)s + (double)e == (double)a + (double)b);
}
