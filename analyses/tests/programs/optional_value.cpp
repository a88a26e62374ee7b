// expect: holds
#include <cassert>
#include <optional>
extern "C" double __VERIFIER_nondet_double();
static std::optional<double> ratio(double a, double b) {
  if (!(b >= 0.5)) return std::nullopt;
  return a / b;
}
int main() {
  double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double();
  if (!(a >= -1 && a <= 1)) return 0;
  double r = ratio(a, b).value_or(2.0);
  assert(r >= -2 && r <= 2);
}
