// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), sum;
  long exact = (long)a + b;
  if (__builtin_add_overflow(a, b, &sum))
    assert(exact > 2147483647 || exact < -2147483648l);
  else
    assert(sum == exact);
}
