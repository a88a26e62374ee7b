// expect: assertion-failure at 37
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>
extern "C" double __VERIFIER_nondet_double();
class SolverError : public std::runtime_error {
  int code_;
public:
  SolverError(int code, const char *what) : std::runtime_error(what), code_(code) {}
  int code() const noexcept { return code_; }
};
class Diverged : public SolverError { public: Diverged() : SolverError(2, "diverged") {} };
static double step(double x) {
  if (std::isnan(x)) throw SolverError(1, "not a number");
  if (std::fabs(x) > 1e100) throw Diverged();
  return x * x;
}
static double twice(double x) {
  try {
    return step(step(x));
  } catch (const Diverged &) {
    throw;
  } catch (const SolverError &e) {
    return e.code();
  }
}
int main() {
  double x = __VERIFIER_nondet_double();
  int code = 0;
  try {
    double y = twice(x);
    assert(!std::isnan(y) && y <= 1.01e200);
  } catch (const SolverError &e) {
    code = e.code();
  }
  assert(code == 0);
}
