// expect: holds
#include <cassert>
#include <stdexcept>
extern "C" double __VERIFIER_nondet_double();
struct Negative { double value; };
static int cleaned = 0;
struct Guard { ~Guard() { cleaned++; } };
static double root(double x) {
  Guard guard;
  if (x != x) throw std::domain_error("not a number");
  if (x < 0) throw Negative{x};
  return x;
}
static double tried(double x) {
  try {
    return root(x);
  } catch (const Negative &negative) {
    return -negative.value;
  } catch (const std::logic_error &) {
    return 0;
  }
}
int main() {
  double y = tried(__VERIFIER_nondet_double());
  assert(y >= 0);
  assert(cleaned == 1);
}
