// expect: holds
#include <assert.h>
#include <math.h>

#include <string.h>
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
  unsigned long bits = __VERIFIER_nondet_ulong(), back;
  double x;
  memcpy(&x, &bits, sizeof x);
  memcpy(&back, &x, sizeof x);
  assert(back == bits);
  if (isnan(x))
    assert((bits & 0x7ff0000000000000) == 0x7ff0000000000000 && bits << 12 != 0);
}
