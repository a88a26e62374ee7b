// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < 0 || a > 1000 || b <= 0 || b > 1000)
    return 0;
  assert(a % b < b && a / b <= a);
}
