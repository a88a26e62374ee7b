// feature: virtual calls
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
struct Law { virtual ~Law() = default; virtual double at(double, double) const = 0; };
struct Times : Law { double at(double a, double b) const override { return a * b; } };
struct Damped : Law { double at(double a, double) const override { return 1 / (1 + std::fabs(a)); } };
extern "C" double f(double x, double y) {
  Times times;
  Damped damped;
  const Law *laws[] = {&times, &damped};
  double p = laws[0]->at(x, y), q = laws[1]->at(x, y);
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
