// expect: holds
#include <cassert>
struct Located { int line = 7; virtual ~Located() {} };
struct Valued { double value; explicit Valued(double v) : value(v) {} virtual ~Valued() {} };
struct Failure : Located, Valued { explicit Failure(double v) : Valued(v) {} };
extern "C" double __VERIFIER_nondet_double();
int main() {
  double x = __VERIFIER_nondet_double();
  try {
    if (x > 0) throw Failure(x);
  } catch (const Valued &caught) {
    assert(caught.value == x);
    assert(static_cast<const Failure &>(caught).line == 7);
  }
}
