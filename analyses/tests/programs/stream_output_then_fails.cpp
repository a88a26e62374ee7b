// expect: assertion-failure at 9
#include <cassert>
#include <iostream>
extern "C" float __VERIFIER_nondet_float();
int main() {
  float x = __VERIFIER_nondet_float();
  float y = x * x;
  std::cout << "square of " << x << ": " << y << '\n';
  assert(y >= x || x <= 1);
}
