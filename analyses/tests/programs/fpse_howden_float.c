// expect: holds
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float();
  float x = a * b + 2;
  if (x > 100) {
    x = 100 - x;
    x = x - 50;
    assert(!(x > 50));
  }
}
