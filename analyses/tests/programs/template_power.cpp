// expect: holds
#include <cassert>
extern "C" float __VERIFIER_nondet_float();
template <int N, typename T> T power(T x) {
  if constexpr (N == 0) return T(1);
  else return x * power<N - 1>(x);
}
int main() {
  float x = __VERIFIER_nondet_float();
  if (!(x >= 0 && x <= 2)) return 0;
  assert(power<3>(x) <= 8 && power<0>(x) == 1);
}
