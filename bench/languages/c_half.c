// feature: `_Float16`
// exceptions: found, proved
// precision: measured
// test: found, proved
#include <math.h>
#include <stdlib.h>
double f(double x, double y) {
  _Float16 a = (_Float16)x, b = (_Float16)y;
  _Float16 w = a * b;
  double p = w > 60000 ? HUGE_VAL : x * y, q = 1 / (1 + fabs((double)a));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
