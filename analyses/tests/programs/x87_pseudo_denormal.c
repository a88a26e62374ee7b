// expect: holds
#include <assert.h>

#include <string.h>
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
  // Exponent zero with the integer bit set means the same as exponent one.
  unsigned long significand = __VERIFIER_nondet_ulong();
  long double x = 0, y = 0;
  unsigned short one = 1;
  if (significand >> 63) {
    memcpy(&x, &significand, 8);
    memcpy(&y, &significand, 8);
    memcpy((char *)&y + 8, &one, 2);
    assert(x == y && x > 0);
  }
}
