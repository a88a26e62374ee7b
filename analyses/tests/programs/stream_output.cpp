// expect: holds
#include <cassert>
#include <iomanip>
#include <iostream>
extern "C" double __VERIFIER_nondet_double();
int main() {
  double x = __VERIFIER_nondet_double();
  std::cout << "x = " << std::setprecision(3) << x << std::endl;
  if (x < 0) std::cerr << "negative\n";
  assert(!(x < 0) || x <= 0);
}
