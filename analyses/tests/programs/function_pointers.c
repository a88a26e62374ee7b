// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double twice(double x) { return x + x; }
static double negate(double x) { return -x; }
static double same(double x) { return x; }
int main(void) {
  double (*table[])(double) = {twice, negate, same};
  unsigned i = (unsigned)__VERIFIER_nondet_int();
  double x = __VERIFIER_nondet_double();
  if (i > 2 || !(x > 1 && x < 10))
    return 0;
  double y = table[i](x);
  assert(y == 2 * x || y == x || y == -x);
}
