// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
static const double a1[2] = {-0.8, -0.6}, a2[2] = {0.5, 0.4};
static double state[2][2];
int main(void) {
  for (;;) {
    double y = within(-1, 1);
    for (int i = 0; i < 2; i++) {
      double w = y - a1[i] * state[i][0] - a2[i] * state[i][1];
      state[i][1] = state[i][0];
      state[i][0] = w;
      y = w;
    }
    assert(y >= -6 && y <= 6);
  }
}
