// feature: smart pointers, destructors
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <memory>
extern "C" double f(double x, double y) {
  auto a = std::make_unique<double>(x);
  auto b = std::make_shared<double>(y);
  double p = *a * *b, q = 1 / (1 + std::fabs(*a));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
