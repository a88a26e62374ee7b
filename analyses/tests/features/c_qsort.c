// feature: `qsort` with a comparator
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
double f(double x, double y) {
  double v[2] = {fabs(x), fabs(y)};
  qsort(v, 2, sizeof *v, compare);
  double p = v[0] * v[1], q = 1 / (1 + v[0]);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
