// expect: assertion-failure at 22
#include <assert.h>
#include <setjmp.h>
double __VERIFIER_nondet_double(void);

static jmp_buf place;
static double root(double x) {
  if (x < 0)
    longjmp(place, 0);
  return x * 0.5;
}
int main(void) {
  volatile double x = __VERIFIER_nondet_double();
  volatile int tries = 0;
  if (!(x >= -8 && x <= 8))
    return 0;
  int why = setjmp(place);
  if (why == 1) {
    tries++;
    x = -x;
  }
  assert(root(x) < 4); // 8 and -8 come here
  assert(tries <= 1);
}
