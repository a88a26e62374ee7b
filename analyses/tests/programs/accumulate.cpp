// expect: holds
#include <algorithm>
#include <cassert>
#include <numeric>
#include <vector>
extern "C" int __VERIFIER_nondet_int();
int main() {
  int n = __VERIFIER_nondet_int();
  if (n < -1000 || n > 1000) return 0;
  std::vector<double> v{1.0, static_cast<double>(n), 2.0};
  double sum = std::accumulate(v.begin(), v.end(), 0.0);
  std::reverse(v.begin(), v.end());
  assert(sum == std::accumulate(v.begin(), v.end(), 0.0));
  assert(std::count_if(v.begin(), v.end(), [](double x) { return x > 1e6; }) == 0);
}
