// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  assert((int)(double)n == n);
}
