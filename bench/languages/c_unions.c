// feature: unions, bit-fields
// exceptions: found, proved
// precision: measured
// test: found, proved
#include <math.h>
#include <stdlib.h>
union bits { double value; struct { unsigned long fraction : 52, exponent : 11, sign : 1; } part; };
double f(double x, double y) {
  union bits u = {.value = x};
  u.part.sign = 0;
  double p = u.value * y, q = 1 / (1 + u.value);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
