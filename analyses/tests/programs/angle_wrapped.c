// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);
static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double a = 0;
  for (;;) {
    a += within(-1, 1);
    if (a > 3.14159)
      a -= 6.28318;
    if (a < -3.14159)
      a += 6.28318;
    assert(a >= -3.1416 && a <= 3.1416);
  }
}
