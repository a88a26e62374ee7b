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
struct filter {
  double s1, s0;
};
static double step(struct filter *f, double input) {
  double s2 = 1.5 * f->s1 - 0.7 * f->s0 + input;
  f->s0 = f->s1;
  f->s1 = s2;
  return s2;
}
int main(void) {
  struct filter f = {0, 0};
  while (__VERIFIER_nondet_int()) {
    double y = step(&f, within(-1, 1));
    assert(y >= -9.4 && y <= 9.4);
  }
}
