// expect: holds
#include <algorithm>
#include <array>
#include <cassert>
extern "C" int __VERIFIER_nondet_int();
int main() {
  std::array<int, 3> a;
  for (auto &x : a) x = __VERIFIER_nondet_int();
  std::sort(a.begin(), a.end());
  assert(a[0] <= a[1] && a[1] <= a[2]);
  assert(*std::max_element(a.begin(), a.end()) == a[2]);
}
