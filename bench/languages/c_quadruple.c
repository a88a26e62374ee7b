// feature: `__float128`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdlib.h>
double f(double x, double y) {
  __float128 w = (__float128)x * y;
  double p = (double)w, q = (double)(1 / (1 + (__float128)fabs(x)));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
