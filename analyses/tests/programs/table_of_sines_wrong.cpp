// expect: assertion-failure at 23
#include <cassert>
#include <cmath>
#include <vector>
extern "C" double __VERIFIER_nondet_double();
static std::vector<double> make_table(int n) {
  std::vector<double> t;
  for (int i = 0; i <= n; ++i) t.push_back(std::sin(i * 1.5707963267948966 / n));
  return t;
}
static const std::vector<double> table = make_table(8);
static const double last = std::exp(1.0) / 2;
static double lookup(double u) {
  int i = static_cast<int>(u * 8);
  double f = u * 8 - i;
  return table.at(i) * (1 - f) + f * table.at(i + 1);
}
int main() {
  double u = __VERIFIER_nondet_double();
  if (!(u >= 0 && u <= 1)) return 0;
  double v = 2;
  try { v = lookup(u); } catch (...) { v = 7; }
  assert(v <= 1.001 && last > 1);
}
