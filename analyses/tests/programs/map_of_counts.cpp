// expect: holds
#include <cassert>
#include <map>
extern "C" float __VERIFIER_nondet_float();
int main() {
  std::map<int, int> counts;
  for (int i = 0; i < 3; i++) {
    float x = __VERIFIER_nondet_float();
    counts[x < 0 ? -1 : x > 0 ? 1 : 0]++;
  }
  int total = 0;
  for (auto &[key, count] : counts) total += count;
  assert(total == 3);
  assert(counts.size() <= 3);
}
