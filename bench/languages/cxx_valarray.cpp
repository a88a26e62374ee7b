// feature: `std::valarray`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <valarray>
extern "C" double f(double x, double y) {
  std::valarray<double> a{x, 1}, b{y, 1};
  std::valarray<double> w = a * b;
  double p = w[0], q = 1 / (1 + std::fabs(a[0]));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
