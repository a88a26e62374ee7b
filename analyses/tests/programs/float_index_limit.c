// expect: assertion-failure at 11
// note: the largest doubles below 1 are 1 as floats
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double t = __VERIFIER_nondet_double();
  if (t >= 0 && t < 1) {
    float u = (float)t;
    int i = (int)(u * 10.0f);
    assert(i >= 0 && i < 10);
  }
}
