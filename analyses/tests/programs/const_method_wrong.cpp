// expect: assertion-failure at 14
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
class Interval {
  double low, high;
public:
  Interval(double a, double b) : low(a), high(b) {}
  double width() const { return high - low; }
};
int main() {
  double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double();
  if (!(a < b)) return 0;
  const Interval between(a, b);
  assert(between.width() < 1.7976931348623157e308);
}
