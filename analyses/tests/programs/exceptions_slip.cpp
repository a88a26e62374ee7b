// expect: assertion-failure at 23
#include <cassert>
extern "C" int __VERIFIER_nondet_int();
struct Base { int code; };
struct Derived : Base {};
static int step(int n) {
  if (n == 7) throw Derived{{n}};
  if (n == 11) throw n;
  return 0;
}
static int outer(int n) {
  try {
    return step(n);
  } catch (const Base &base) {
    if (base.code == 7) throw 12;
    throw;
  }
}
int main() {
  try {
    int n = __VERIFIER_nondet_int(); if (outer(n) != 0) assert(0);
  } catch (int code) {
    assert(code == 11);
  }
}
