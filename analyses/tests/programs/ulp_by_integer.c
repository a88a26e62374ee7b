// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

#include <string.h>
int main(void) {
  float x = __VERIFIER_nondet_float(), next;
  int bits;
  if (!(x > 0 && x < 1e30f))
    return 0;
  memcpy(&bits, &x, sizeof x);
  bits++;
  memcpy(&next, &bits, sizeof x);
  assert(next > x && next == nextafterf(x, INFINITY));
}
