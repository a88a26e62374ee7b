// feature: `iostream` as output
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <iostream>
extern "C" double f(double x, double y) {
  double p = x * y, q = 1 / (1 + std::fabs(x));
  std::cout << "p = " << p << std::endl;
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
