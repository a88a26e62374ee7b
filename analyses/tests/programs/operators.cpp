// expect: holds
#include <cassert>
extern "C" short __VERIFIER_nondet_short();
struct Vec {
  double x, y;
  Vec operator+(const Vec &o) const { return {x + o.x, y + o.y}; }
  Vec &operator*=(double k) { x *= k; y *= k; return *this; }
  friend double operator*(const Vec &a, const Vec &b) { return a.x * b.x + a.y * b.y; }
};
int main() {
  double a = __VERIFIER_nondet_short(), b = __VERIFIER_nondet_short();
  Vec u{a, b}, v{-b, a};
  assert(u * v == 0);
  u *= 2;
  assert((u + v).x == 2 * a - b);
}
