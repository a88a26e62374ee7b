// expect: abort at 8
#include <stdlib.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x * x == 2.25f && x < 0)
    abort();
}
