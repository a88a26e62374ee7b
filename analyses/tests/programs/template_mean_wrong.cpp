// expect: assertion-failure at 10
#include <array>
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
template <typename T, unsigned long N> T mean(const std::array<T, N> &values) {
  T sum{}; for (const T &value : values) sum += value; return sum / static_cast<T>(N);
}
int main() {
  std::array<double, 2> pair{__VERIFIER_nondet_double(), 1e308}; double m = mean(pair);
  assert(!(pair[0] >= 1e308 && pair[0] <= 1.5e308) || m <= pair[0]);
  return m != m;
}
