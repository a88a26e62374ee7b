// expect: assertion-failure at 19
#include <assert.h>
#include <math.h>
extern double __VERIFIER_nondet_double(void);
static double trace_of_square(int n, double a[n][n]) {
  double p[n][n], t = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      p[i][j] = 0;
      for (int k = 0; k < n; k++) p[i][j] += a[i][k] * a[k][j];
    }
  for (int i = 0; i < n; i++) t += p[i][i];
  return t;
}
int main(void) {
  double a[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) { a[i][j] = __VERIFIER_nondet_double(); if (!(fabs(a[i][j]) <= 10)) return 0; }
  assert(trace_of_square(2, a) >= 0);
  return 0;
}
