// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
struct biquad {
  double b[3], a[2], w[2];
};
static double step(struct biquad *q, double x) {
  double w = x - q->a[0] * q->w[0] - q->a[1] * q->w[1];
  double y = q->b[0] * w + q->b[1] * q->w[0] + q->b[2] * q->w[1];
  q->w[1] = q->w[0];
  q->w[0] = w;
  return y;
}
int main(void) {
  struct biquad q = {{0.2, 0.4, 0.2}, {-0.8, 0.5}, {0, 0}};
  for (;;) {
    double y = step(&q, within(-1, 1));
    assert(y >= -2.2 && y <= 2.2);
  }
}
