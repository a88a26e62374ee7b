/* Functions whose goals need relations between values. */
#include <math.h>
double scaled(double a, double b) {
  a = fabs(a);
  b = fabs(b);
  if (a > b)
    return sqrt(1 + (b / a) * (b / a));
  return 0;
}
double limited(const double *x, int n) {
  double y = 0;
  for (int i = 0; i < n; i++) {
    double in = fmin(fmax(x[0] * i, -128.0), 128.0);
    double r = in - y;
    if (r > 16)
      y = y + 16;
    else if (r < -16)
      y = y - 16;
    else
      y = in;
  }
  return y;
}
double filtered(double in, int n) {
  double s = 0, s0 = 0;
  for (int i = 0; i < n; i++) {
    double e = fmin(fmax(in * i, -1.0), 1.0);
    double next = 1.4 * s - 0.7 * s0 + e;
    s0 = s;
    s = next;
  }
  return s;
}
double summed(double in) {
  double s = 0;
  for (int i = 0; i < 100000; i++)
    s += fmin(fmax(in * i, -1.0), 1.0);
  return s;
}
