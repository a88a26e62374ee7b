// expect: assertion-failure at 14
#include <cassert>
#include <stdexcept>
#include <vector>
extern "C" int __VERIFIER_nondet_int();
int main() {
  std::vector<double> v{1.0, 2.0, 3.0};
  int i = __VERIFIER_nondet_int();
  double x = 0;
  try {
    x = v.at(i);
  } catch (const std::out_of_range &) {
  }
  assert(x > 0);
}
