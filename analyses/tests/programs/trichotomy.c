// expect: assertion-failure at 7
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  assert(x < y || x > y || x == y);
}
