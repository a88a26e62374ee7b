// expect: assertion-failure at 9
#include <algorithm>
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
int main() {
  double a[3];
  for (double &x : a) x = __VERIFIER_nondet_double();
  double m = *std::max_element(a, a + 3);
  for (double x : a) assert(m >= x || x != x);
}
