// expect: assertion-failure at 12
#include <cassert>
#include <string>
extern "C" double __VERIFIER_nondet_double();
static std::string sign(double x) {
  std::string text;
  text.push_back(x < 0 ? '-' : '+');
  return text + "1";
}
int main() {
  double x = __VERIFIER_nondet_double();
  assert(sign(x) == "-1" || x >= 0);
}
