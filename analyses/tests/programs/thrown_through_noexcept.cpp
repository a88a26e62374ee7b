// expect: abort at 8
#include <stdexcept>
extern "C" double __VERIFIER_nondet_double();
static double root(double x) {
  if (x < 0) throw std::domain_error("negative");
  return x / 2;
}
static double quiet(double x) noexcept { return root(x); }
int main() {
  double x = __VERIFIER_nondet_double();
  if (x < -1e300) quiet(x);
}
