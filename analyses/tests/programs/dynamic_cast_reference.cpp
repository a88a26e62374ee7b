// expect: assertion-failure at 22
#include <cassert>
#include <typeinfo>
extern "C" int __VERIFIER_nondet_int();
struct Base { virtual ~Base() = default; };
struct Left : virtual Base { int left = 1; };
struct Right : virtual Base { int right = 2; };
struct Both : Left, Right { int both = 3; };
static int part(Base &base) {
  try {
    return dynamic_cast<Right &>(base).right;
  } catch (const std::bad_cast &) {
    return 0;
  }
}
int main() {
  Left left;
  Both both;
  Base &chosen = __VERIFIER_nondet_int() > 0 ? static_cast<Base &>(left) : both;
  int found = part(chosen);
  assert(found == 0 || found == 2);
  assert(found == 2); // a Left is no Right
}
