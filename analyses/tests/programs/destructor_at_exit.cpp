// expect: assertion-failure at 7
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
static double level;
struct Tank {
  ~Tank() {
    assert(level <= 10);
  }
};
static Tank tank;
int main() { level = __VERIFIER_nondet_double() / 2; if (level != level) level = 0; }
