// feature: `setjmp`, `longjmp`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf place;
static double damped(double a) {
  if (a < 0) longjmp(place, 1);
  return 1 / (1 + a);
}
double f(double x, double y) {
  double p = x * y;
  double q = setjmp(place) ? 1 : damped(x);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
