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
struct filter {
  double s1, s0;
};
static double step(struct filter *f, double input) {
  double s2 = 1.5 * f->s1 - 0.7 * f->s0 + input;
  f->s0 = f->s1;
  f->s1 = s2;
  return s2;
}
double filtered_by_function(double in, int n) {
  struct filter f = {0, 0};
  double y = 0;
  for (int i = 0; i < n; i++)
    y = step(&f, fmin(fmax(in * i, -1.0), 1.0));
  return 1 / (y - 10);
}
double biquad(double in, int n) {
  double w1 = 0, w2 = 0, y = 0;
  for (int i = 0; i < n; i++) {
    double w = fmin(fmax(in * i, -1.0), 1.0) + 0.8 * w1 - 0.5 * w2;
    y = 0.2 * w + 0.4 * w1 + 0.2 * w2;
    w2 = w1;
    w1 = w;
  }
  return 1 / (y - 2.5);
}
double smoothed(double in, double alpha, int n) {
  double level = 0;
  if (!(alpha >= 0.05 && alpha <= 0.95))
    return 0;
  for (int i = 0; i < n; i++)
    level = level + alpha * (fmin(fmax(in * i, -50.0), 50.0) - level);
  return 1 / (level - 51);
}
double at_most(double limit, double step, int n) {
  double x = 0;
  if (!(limit >= 1 && limit <= 1000 && step >= 0 && step <= 1))
    return 0;
  for (int i = 0; i < n; i++) {
    x += step;
    if (x > limit)
      x = limit;
  }
  return sqrt(limit - x);
}
