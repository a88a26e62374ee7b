// feature: `long double`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdlib.h>
double f(double x, double y) {
  long double w = (long double)x * y;
  double p = (double)w, q = (double)(1 / (1 + fabsl((long double)x)));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
