// expect: holds
#include <assert.h>
float __VERIFIER_nondet_float(void);
int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  if (!(x >= 1e-37f && x <= 1 && y >= 1e-37f && y <= 1))
    return 0;
  float difference = x - y;
  assert(difference != 0 || x == y);
}
