// expect: holds
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
static double total;
struct Guard {
  double saved;
  Guard() : saved(total) {}
  ~Guard() { total = saved; }
};
static void add(double x) {
  Guard guard;
  total += x;
  if (x > 1) throw x;
}
int main() {
  double x = __VERIFIER_nondet_double();
  try {
    add(x);
  } catch (double thrown) {
    assert(thrown > 1);
  }
  assert(total == 0);
}
