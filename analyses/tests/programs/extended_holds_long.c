// expect: holds
#include <assert.h>

long __VERIFIER_nondet_long(void);
int main(void) {
  long n = __VERIFIER_nondet_long();
  assert((long)(long double)n == n);
}
