// expect: assertion-failure at 13
#include <cassert>
struct Coded { double code = 1; virtual ~Coded() {} };
struct Scaled { double scale; explicit Scaled(double s) : scale(s) {} virtual ~Scaled() {} };
struct Overflowed : Coded, Scaled { explicit Overflowed(double s) : Scaled(s) {} };
extern "C" double __VERIFIER_nondet_double();
static void check(double x) { if (x * 2 > 1e308) throw Overflowed(x * 2); }
int main() {
  double x = __VERIFIER_nondet_double();
  try {
    check(x);
  } catch (Scaled &caught) {
    assert(caught.scale <= 1.7976931348623157e308);
  }
}
