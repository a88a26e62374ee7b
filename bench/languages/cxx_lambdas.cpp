// feature: lambdas, `std::function`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <functional>
extern "C" double f(double x, double y) {
  auto times = [x](double b) { return x * b; };
  std::function<double(double)> damped = [](double a) { return 1 / (1 + std::fabs(a)); };
  double p = times(y), q = damped(x);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
