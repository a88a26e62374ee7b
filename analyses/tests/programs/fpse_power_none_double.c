// expect: holds
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  // Of the loop in Figure 9: no negative exponent leaves it before the first turn.
  double y = __VERIFIER_nondet_double();
  if (y < 0) {
    double w = -y;
    assert(!(w <= 0));
  }
}
