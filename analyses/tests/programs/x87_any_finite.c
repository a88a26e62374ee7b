// expect: assertion-failure at 14
#include <assert.h>

#include <string.h>
unsigned long __VERIFIER_nondet_ulong(void);
unsigned short __VERIFIER_nondet_ushort(void);
int main(void) {
  unsigned long significand = __VERIFIER_nondet_ulong();
  unsigned short top = __VERIFIER_nondet_ushort();
  long double x;
  if ((top & 0x7fff) != 0x7fff) {
    memcpy(&x, &significand, 8);
    memcpy((char *)&x + 8, &top, 2);
    assert(x == x);
  }
}
