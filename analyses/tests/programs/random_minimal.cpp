// expect: holds
#include <cassert>
#include <random>
extern "C" unsigned __VERIFIER_nondet_uint();
int main() {
  std::minstd_rand engine(1);
  assert(engine() == 48271u);
  std::minstd_rand other(__VERIFIER_nondet_uint() % 3 + 1);
  auto first = other();
  assert(first >= 48271u && first < 2147483647u);
}
