// expect: holds
#include <cassert>
#include <functional>
extern "C" double __VERIFIER_nondet_double();
static double apply(const std::function<double(double)> &f, double x) { return f(x); }
int main() {
  double scale = 0.5, x = __VERIFIER_nondet_double();
  double y = apply([scale](double v) { return v * scale; }, x);
  if (x >= -1e300 && x <= 1e300)
    assert(y <= 1e300 && y >= -1e300);
  std::function<double(double)> empty;
  bool caught = false;
  try {
    empty(x);
  } catch (const std::bad_function_call &) {
    caught = true;
  }
  assert(caught);
}
