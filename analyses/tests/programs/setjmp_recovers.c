// expect: holds
#include <assert.h>
#include <setjmp.h>
double __VERIFIER_nondet_double(void);

static jmp_buf place;
static double reciprocal(double x) {
  if (x == 0)
    longjmp(place, 3);
  return 1 / x;
}
static double twice(double x) {
  double r = reciprocal(x);
  return r + r;
}
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 0 && x <= 1))
    return 0;
  int why = setjmp(place);
  if (why) {
    assert(why == 3 && x == 0);
    return 0;
  }
  assert(twice(x) >= 2);
}
