// expect: assertion-failure at 9
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int a[4] = {0}, i = __VERIFIER_nondet_int() & 3, j = __VERIFIER_nondet_int() & 3;
  a[i] = 1;
  a[j] += 2;
  assert(a[i] == 1);
}
