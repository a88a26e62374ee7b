// feature: `std::complex`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <complex>
extern "C" double f(double x, double y) {
  std::complex<double> a(x, 0), b(y, 0);
  double p = (a * b).real(), q = 1 / (1 + std::abs(a));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
