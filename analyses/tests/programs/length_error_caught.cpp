// expect: holds
#include <cassert>
#include <stdexcept>
#include <vector>
extern "C" double __VERIFIER_nondet_double();
int main() {
  std::vector<double> list;
  double x = __VERIFIER_nondet_double();
  bool refused = false;
  try {
    list.reserve(x > 0 ? list.max_size() + 1 : 2);
    list.push_back(x);
  } catch (const std::length_error &) {
    refused = true;
  }
  assert(refused == (x > 0) && list.size() == (refused ? 0u : 1u));
}
