// feature: rounding modes
// exceptions: found, proved
// precision: measured
// test: found, proved
// flags: -frounding-math
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
double f(double x, double y) {
  fesetround(FE_UPWARD);
  double p = x * y, q = 1 / (1 + fabs(x));
  fesetround(FE_TONEAREST);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
