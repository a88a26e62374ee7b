// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
struct pid {
  double integral, last;
};
static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
static double control(struct pid *c, double target, double measured) {
  double error = target - measured;
  c->integral = clamp(c->integral + 0.01 * error, -20, 20);
  double derivative = (error - c->last) / 0.01;
  c->last = error;
  return clamp(0.8 * error + 0.5 * c->integral + 0.02 * derivative, -10, 10);
}
int main(void) {
  struct pid c = {0, 0};
  for (;;) {
    double u = control(&c, within(-100, 100), within(-100, 100));
    assert(u >= -10 && u <= 10);
    assert(c.integral >= -20 && c.integral <= 20);
  }
}
