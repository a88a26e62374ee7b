// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), whole;
  if (!isfinite(x))
    return 0;
  float rest = modff(x, &whole);
  assert(rest + whole == x && fabsf(rest) < 1 && truncf(x) == whole);
}
