// expect: assertion-failure at 12
#include <cassert>
#include <functional>
extern "C" double __VERIFIER_nondet_double();
static double twice(double x) { return 2 * x; }
int main() {
  std::function<double(double)> f = twice;
  double x = __VERIFIER_nondet_double();
  if (x > 1e10) f = [f](double y) { return f(y) + 1; };
  if (x != x) return 0;
  double y = f(x);
  assert(y == 2 * x || x >= 1e100);
}
