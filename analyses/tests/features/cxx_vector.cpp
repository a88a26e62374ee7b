// feature: `std::vector`, algorithms
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <algorithm>
#include <numeric>
#include <vector>
extern "C" double f(double x, double y) {
  std::vector<double> v{std::fabs(x), std::fabs(y)};
  std::sort(v.begin(), v.end());
  double p = std::accumulate(v.begin(), v.end(), 1.0, [](double a, double b) { return a * b; });
  double q = 1 / (1 + v.front());
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
