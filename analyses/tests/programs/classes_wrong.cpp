// expect: assertion-failure at 14
#include <cassert>
extern "C" float __VERIFIER_nondet_float();
class Interval {
  float low_, high_;

public:
  Interval(float a, float b) : low_(a < b ? a : b), high_(a < b ? b : a) {}
  bool contains(float x) const { return low_ <= x && x <= high_; }
};
int main() {
  float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float();
  Interval i(a, b);
  assert(i.contains(a));
}
