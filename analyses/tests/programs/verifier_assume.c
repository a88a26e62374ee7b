// expect: holds
#include <assert.h>

void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);
_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x > 1);
  __VERIFIER_assume(x < 3);
  _Bool b = __VERIFIER_nondet_bool();
  unsigned char c = __VERIFIER_nondet_uchar();
  assert(x * x > 1 && x * x < 9.1);
  assert((b == 0 || b == 1) && c < 256);
}
