// feature: exceptions
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <stdexcept>
static double damped(double a) {
  if (a < 0) throw std::domain_error("negative");
  return 1 / (1 + a);
}
extern "C" double f(double x, double y) {
  double p = x * y, q = 1;
  try {
    q = damped(x);
  } catch (const std::exception &) {
    q = 0.5;
  }
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
