// expect: assertion-failure at 10
#include <assert.h>
float __VERIFIER_nondet_float(void);

#include <float.h>
int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  if (x >= 0 && x <= y && y <= FLT_MAX) {
    float mean = (x + y) / 2;
    assert(x <= mean && mean <= y);
  }
}
