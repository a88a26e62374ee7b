// feature: templates, operators, `constexpr`
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
template <class T> struct Number {
  T value;
  friend Number operator*(Number a, Number b) { return {a.value * b.value}; }
};
template <class T> constexpr T unit = T(1);
extern "C" double f(double x, double y) {
  Number<double> a{x}, b{y};
  double p = (a * b).value, q = (unit<double> / (unit<double> + std::fabs(a.value)));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
