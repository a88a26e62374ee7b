// feature: callbacks with `void *`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdlib.h>
static double apply(double (*g)(const void *), const void *data) { return g(data); }
static double times(const void *data) { const double *s = data; return s[0] * s[1]; }
static double damped(const void *data) { const double *s = data; return 1 / (1 + fabs(s[0])); }
double f(double x, double y) {
  double s[2] = {x, y};
  double p = apply(times, s), q = apply(damped, s);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
