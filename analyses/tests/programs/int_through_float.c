// expect: assertion-failure at 8
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > -(1 << 30) && n < 1 << 30)
    assert((int)(float)n == n);
}
