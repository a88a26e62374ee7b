// expect: holds
#include <assert.h>

unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
  unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
  unsigned __int128 sum = (unsigned __int128)a + b;
  assert((unsigned long)(sum >> 64) == (a + b < a));
}
