// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
/* A resonator in a loop with a low pass of its output. */
int main(void) {
  double s0 = 0, s1 = 0, z = 0;
  while (__VERIFIER_nondet_int()) {
    double e = within(-1, 1) - 0.2 * z;
    double s2 = 1.2 * s1 - 0.6 * s0 + e;
    s0 = s1;
    s1 = s2;
    z = 0.9 * z + 0.1 * s1;
    assert(s1 >= -20 && s1 <= 20 && z >= -20 && z <= 20);
  }
}
