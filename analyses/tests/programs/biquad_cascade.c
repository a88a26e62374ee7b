// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
struct section {
  double w1, w2;
};
static double step(struct section *s, double a1, double a2, double x) {
  double w = x - a1 * s->w1 - a2 * s->w2;
  s->w2 = s->w1;
  s->w1 = w;
  return w;
}
int main(void) {
  struct section first = {0, 0}, second = {0, 0};
  for (;;) {
    double y = step(&second, -0.6, 0.4, step(&first, -0.8, 0.5, within(-1, 1)));
    assert(y >= -6 && y <= 6);
  }
}
