// expect: holds
#include <cassert>
#include <random>
extern "C" unsigned __VERIFIER_nondet_uint();
int main() {
  std::minstd_rand generator(__VERIFIER_nondet_uint() & 3);
  unsigned first = generator();
  assert(first >= generator.min() && first <= generator.max());
}
