// expect: holds
#include <cassert>
#include <numeric>
#include <vector>
extern "C" float __VERIFIER_nondet_float();
int main() {
  std::vector<float> v;
  for (int i = 0; i < 2; i++) {
    float x = __VERIFIER_nondet_float();
    if (!(x >= 0 && x <= 1)) return 0;
    v.push_back(x);
  }
  float mean = std::accumulate(v.begin(), v.end(), 0.0f) / v.size();
  assert(mean >= 0 && mean <= 1);
}
