// expect: holds
#include <cassert>
#include <functional>
#include <vector>
extern "C" int __VERIFIER_nondet_int();
struct Function { virtual double at(double x) const = 0; virtual ~Function() = default; };
struct Line : Function { double a, b; Line(double a, double b) : a(a), b(b) {} double at(double x) const override { return a * x + b; } };
struct Constant : Function { double c; explicit Constant(double c) : c(c) {} double at(double) const override { return c; } };
int main() {
  std::vector<double> ys;
  Line line(2, 1);
  Constant constant(5);
  const Function *chosen = __VERIFIER_nondet_int() > 0 ? static_cast<const Function *>(&line) : &constant;
  auto twice = [chosen](double x) { return chosen->at(x) + chosen->at(x); };
  ys.push_back(twice(2));
  ys.push_back(chosen->at(2));
  assert(ys.size() == 2 && ys[0] == 10 && ys[1] == 5);
}
