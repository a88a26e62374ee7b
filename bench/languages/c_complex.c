// feature: `complex.h`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <complex.h>
#include <math.h>
#include <stdlib.h>
double f(double x, double y) {
  double complex z = x * (y + 0.0 * I);
  double p = creal(z), q = 1 / (1 + cabs(x + 0.0 * I));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
