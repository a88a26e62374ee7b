// feature: `errno`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <errno.h>
#include <math.h>
#include <stdlib.h>
double f(double x, double y) {
  errno = 0;
  double e = exp(x), p = errno == ERANGE && e > 1 ? 1 : e * y, q = 1 / (1 + e);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
