// expect: holds
#include <algorithm>
#include <array>
#include <cassert>
extern "C" float __VERIFIER_nondet_float();
int main() {
  std::array<float, 3> a;
  for (auto &x : a) x = __VERIFIER_nondet_float();
  float most = 0;
  int seen = 0;
  std::for_each(a.begin(), a.end(), [&](float x) {
    if (x > most) most = x;
    seen++;
  });
  assert(seen == 3 && most >= 0);
  assert(!(a[1] > most));
}
