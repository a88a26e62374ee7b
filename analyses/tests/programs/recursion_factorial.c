// expect: assertion-failure at 9
#include <assert.h>
int __VERIFIER_nondet_int(void);

static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n >= 0 && n <= 8)
    assert(factorial(n) != 5040);
}
