// expect: holds
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  // Of the loop in Figure 9: no negative exponent leaves it before the first turn.
  float y = __VERIFIER_nondet_float();
  if (y < 0) {
    float w = -y;
    assert(!(w <= 0));
  }
}
