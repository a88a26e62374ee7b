// expect: holds
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);

union parts {
  double value;
  unsigned long bits;
};
int main(void) {
  union parts p = {__VERIFIER_nondet_double()};
  assert((p.bits >> 63 != 0) == (signbit(p.value) != 0));
}
