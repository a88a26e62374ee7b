// feature: `std::optional`, `std::variant`, structured bindings
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>
extern "C" double f(double x, double y) {
  std::optional<double> w = x == x ? std::optional(x) : std::nullopt;
  std::variant<int, double> u = y;
  auto [a, b] = std::pair(w.value_or(0), std::get<double>(u));
  double p = a * b, q = 1 / (1 + std::fabs(a));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
