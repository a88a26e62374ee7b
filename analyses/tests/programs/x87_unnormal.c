// expect: holds
#include <assert.h>

#include <string.h>
unsigned long __VERIFIER_nondet_ulong(void);
unsigned short __VERIFIER_nondet_ushort(void);
int main(void) {
  // Without its integer bit, an encoding with a nonzero exponent is no number.
  unsigned long significand = __VERIFIER_nondet_ulong();
  unsigned short top = __VERIFIER_nondet_ushort();
  long double x;
  if ((significand >> 63) == 0 && (top & 0x7fff) != 0) {
    memcpy(&x, &significand, 8);
    memcpy((char *)&x + 8, &top, 2);
    assert(!(x == x) && !(x < 1.0L) && !(x + 1.0L == x + 1.0L));
  }
}
