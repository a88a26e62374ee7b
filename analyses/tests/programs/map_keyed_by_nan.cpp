// expect: assertion-failure at 10
#include <cassert>
#include <map>
extern "C" double __VERIFIER_nondet_double();
int main() {
  std::map<double, int> seen;
  seen[1.0] = 1;
  double x = __VERIFIER_nondet_double();
  if (x != 1.0)
    assert(seen.count(x) == 0);
}
