// feature: static initialisers that compute
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <vector>
static const double scale = std::exp(1.0) / 2;
static const std::vector<double> table = {std::sin(0.0), std::cos(0.0)};
extern "C" double f(double x, double y) {
  double p = x * y * scale, q = 1 / (table[1] + std::fabs(x));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
