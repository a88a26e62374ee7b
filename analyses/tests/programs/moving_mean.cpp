// expect: holds
#include <cassert>
#include <deque>
extern "C" float __VERIFIER_nondet_float();
class Mean {
  std::deque<float> window; float total = 0; std::size_t size;
public:
  explicit Mean(std::size_t n) : size(n) {}
  float push(float x) {
    window.push_back(x);
    if (window.size() > size) window.pop_front();
    total = 0;
    for (float w : window) total += w;
    return total / window.size();
  }
};
int main() {
  Mean mean(2);
  float last = 0;
  for (int i = 0; i < 4; ++i) {
    float x = __VERIFIER_nondet_float();
    if (!(x >= 0 && x <= 1e30f)) return 0;
    last = mean.push(x);
  }
  assert(last >= 0);
}
