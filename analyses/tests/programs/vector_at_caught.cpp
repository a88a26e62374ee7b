// expect: assertion-failure at 11
#include <cassert>
#include <stdexcept>
#include <string>
#include <vector>
extern "C" int __VERIFIER_nondet_int();
int main() {
  std::vector<double> table{1, 2, 3};
  int n = __VERIFIER_nondet_int();
  try {
    double x = table.at(static_cast<unsigned>(n)); assert(x != 3);
  } catch (const std::out_of_range &) {
    assert(n < 0 || n > 2);
  }
}
