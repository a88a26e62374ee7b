// feature: variable arguments
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
static double product(int n, ...) {
  va_list list;
  va_start(list, n);
  double result = va_arg(list, double);
  if (n == 2) result *= va_arg(list, double);
  va_end(list);
  return result;
}
double f(double x, double y) {
  double p = product(2, x, y), q = 1 / (1 + fabs(product(1, x)));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
