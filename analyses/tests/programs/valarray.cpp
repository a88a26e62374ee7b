// expect: holds
#include <cassert>
#include <valarray>
extern "C" double __VERIFIER_nondet_double();
int main() {
  std::valarray<double> x(3);
  for (auto &e : x) { e = __VERIFIER_nondet_double(); if (!(e >= 0 && e <= 1e3)) return 0; }
  std::valarray<double> y = x * x + 1.0;
  double s = y.sum();
  assert(s >= 3 && s <= 3e6 + 3.001);
  assert(y.min() >= 1);
}
