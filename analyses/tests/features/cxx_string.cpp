// feature: `std::string`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <string>
extern "C" double f(double x, double y) {
  std::string name = x < 0 ? "negative number" : "number";
  double p = x * y, q = name.size() > 6 ? 1 / (1 - x) : 1 / (1 + x);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
