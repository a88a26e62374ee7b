// expect: holds
// flags: -std=c++20
#include <array>
#include <cassert>
#include <numeric>
#include <ranges>
extern "C" double __VERIFIER_nondet_double();
int main() {
  std::array<double, 4> x;
  for (double &e : x) { e = __VERIFIER_nondet_double(); if (!(e >= -10 && e <= 10)) return 0; }
  auto squares = x | std::views::filter([](double v) { return v > 0; }) | std::views::transform([](double v) { return v * v; });
  double s = 0;
  int n = 0;
  for (double v : squares) { s += v; ++n; }
  assert(n == 0 || s / n >= 0);
}
