// expect: assertion-failure at 16
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
extern "C" int __VERIFIER_nondet_int();
struct Curve { virtual double at(double x) const = 0; virtual ~Curve() = default; };
struct Line : Curve { double at(double x) const override { return 2 * x - 1; } };
struct Parabola : Line { double at(double x) const override { return x * x; } };
int main() {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 0 && x <= 3)) return 0;
  Line line;
  Parabola parabola;
  const Curve &chosen = __VERIFIER_nondet_int() ? static_cast<const Curve &>(parabola) : line;
  double y = chosen.at(x);
  // A line is negative below a half.
  assert(y >= 0);
}
