// expect: assertion-failure at 11
#include <cassert>
#include <numeric>
#include <vector>
extern "C" double __VERIFIER_nondet_double();
int main() {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 0 && x <= 1)) return 0;
  std::vector<double> v{x, x};
  double sum = std::accumulate(v.begin(), v.end(), 0);
  assert(sum == x + x);
}
