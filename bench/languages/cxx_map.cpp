// feature: `std::map`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <map>
extern "C" double f(double x, double y) {
  std::map<int, double> m{{1, x}, {2, y}};
  double p = m[1] * m[2], q = 1 / (1 + std::fabs(m.at(1)));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
