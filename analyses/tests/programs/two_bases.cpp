// expect: holds
#include <cassert>
#include <cmath>
extern "C" double __VERIFIER_nondet_double();
struct Named { int id = 3; virtual ~Named() = default; virtual int name() const { return id; } };
struct Function { double scale = 2; virtual ~Function() = default; virtual double value(double x) const = 0; virtual double slope(double) const { return 0; } };
struct Log : Named, Function {
  double value(double x) const override {
    return x > 0 ? scale * std::log(x) : -1e9;
  }
  int name() const override { return id + 1; }
};
static double apply(const Function &f, double x) { return f.value(x) + f.slope(x); }
int main() {
  double x = __VERIFIER_nondet_double();
  if (!(x >= -5 && x <= 5)) return 0;
  Log log;
  const Named &n = log;
  assert(n.name() == 4);
  assert(apply(log, x) <= 4);
}
