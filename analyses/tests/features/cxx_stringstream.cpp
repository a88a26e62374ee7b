// feature: `std::ostringstream`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <sstream>
extern "C" double f(double x, double y) {
  double p = x * y, q = 1 / (1 + std::fabs(x));
  std::ostringstream text;
  text << p;
  if (text.str().empty()) p = 0;
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
