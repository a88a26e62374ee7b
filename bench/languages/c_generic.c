// feature: `tgmath.h`, `_Generic`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <tgmath.h>
#include <stdlib.h>
#define kind(x) _Generic((x), float: 1, double: 2)
double f(double x, double y) {
  double p = kind(x) == 2 ? x * y : 0, q = 1 / (1 + sqrt(x * x));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
