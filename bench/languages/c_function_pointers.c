// feature: tables of functions
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdlib.h>
static double times(double a, double b) { return a * b; }
static double damped(double a, double b) { return b / (b + fabs(a)); }
static double (*const table[])(double, double) = {times, damped};
double f(double x, double y) {
  double p = table[0](x, y), q = table[1](x, 1);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
