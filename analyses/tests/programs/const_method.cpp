// expect: holds
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
class Interval {
  double low, high;
public:
  Interval(double a, double b) : low(a < b ? a : b), high(a < b ? b : a) {}
  double clamped(double x) const { return x < low ? low : x > high ? high : x; }
  bool contains(double x) const { return low <= x && x <= high; }
};
int main() {
  double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double(), x = __VERIFIER_nondet_double();
  if (a != a || b != b || x != x) return 0;
  const Interval between(a, b);
  assert(between.contains(between.clamped(x)));
}
