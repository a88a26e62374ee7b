// expect: holds
#include <cassert>
#include <cmath>
#include <variant>
extern "C" double __VERIFIER_nondet_double();
extern "C" int __VERIFIER_nondet_int();
struct Linear { double a; };
struct Square { double a; };
using Law = std::variant<Linear, Square>;
struct Apply {
  double x;
  double operator()(const Linear &l) const { return l.a * x; }
  double operator()(const Square &s) const { return s.a * x * x; }
};
int main() {
  double a = __VERIFIER_nondet_double(), x = __VERIFIER_nondet_double();
  if (!(std::fabs(a) <= 1e100 && std::fabs(x) <= 1e100)) return 0;
  Law law = __VERIFIER_nondet_int() ? Law{Linear{a}} : Law{Square{a}};
  double y = std::visit(Apply{x}, law);
  assert(std::isfinite(y));
}
