// feature: ranges and views
// exceptions: found, proved
// precision: bound
// test: found, proved
// flags: -std=c++20
#include <cmath>
#include <cstdlib>
#include <array>
#include <ranges>
extern "C" double f(double x, double y) {
  std::array<double, 2> v{x, y};
  double p = 1, q = 1;
  for (double a : v | std::views::transform([](double a) { return a; })) p *= a;
  for (double a : v | std::views::take(1)) q = 1 / (1 + std::fabs(a));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
