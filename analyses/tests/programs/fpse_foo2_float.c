// expect: holds
// note: infeasible, though feasible over the reals
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = 1.0e12, z = 0;
  if (x < 10000.0)
    z = x + y;
  assert(!(z > y));
}
