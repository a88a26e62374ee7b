// feature: static state
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdlib.h>
static double last;
static double step(double a) { last = a; return last; }
double f(double x, double y) {
  double p = step(x) * y, q = 1 / (1 + fabs(last));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
