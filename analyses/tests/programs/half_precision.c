// expect: holds
#include <assert.h>

unsigned short __VERIFIER_nondet_ushort(void);
int main(void) {
  unsigned short n = __VERIFIER_nondet_ushort();
  if (n <= 2048)
    assert((unsigned short)(float)(_Float16)(float)n == n);
}
