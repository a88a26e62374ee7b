// expect: holds
#include <assert.h>
#include <math.h>
#include <tgmath.h>
extern float __VERIFIER_nondet_float(void);
#define kind(x) _Generic((x), float: 1, double: 2, long double: 3, default: 0)
int main(void) {
  float x = __VERIFIER_nondet_float();
  if (!(x >= 0 && x <= 1e30f)) return 0;
  assert(kind(sqrt(x)) == 1 && kind(sqrt(x * 1.0)) == 2);
  float r = sqrt((double)x * x);
  assert(r <= 1e30f);
  return 0;
}
