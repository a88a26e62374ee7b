// expect: assertion-failure at 11
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  // The classic: the sum of the ends overflows.
  int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  if (low < 0 || high < low)
    return 0;
  int middle = (int)((unsigned)low + (unsigned)high) / 2;
  assert(low <= middle && middle <= high);
}
