// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < 1 || a > 6 || b < 1 || b > 6)
    return 0;
  int g = gcd(a, b);
  assert(g >= 1 && a % g == 0 && b % g == 0);
}
