// expect: assertion-failure at 13
#include <cassert>
#include <tuple>
extern "C" double __VERIFIER_nondet_double();
static std::tuple<double, double> extremes(double a, double b) {
  if (a < b) return {a, b};
  return {b, a};
}
int main() {
  double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double();
  auto [low, high] = extremes(a, b);
  if (b != b) return 0;
  assert(low <= high);
}
