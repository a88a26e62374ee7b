// expect: assertion-failure at 13
#include <cassert>
#include <functional>
#include <vector>
extern "C" float __VERIFIER_nondet_float();
int main() {
  std::vector<std::function<float(float)>> steps;
  float k = __VERIFIER_nondet_float();
  steps.push_back([=](float v) { return v + k; });
  steps.push_back([=](float v) { return v - k; });
  float x = 1.0f;
  for (auto &step : steps) x = step(x);
  assert(x == 1.0f || k != k || k > 1e6f || k < -1e6f);
}
