// expect: holds
#include <cassert>
#include <cmath>
extern "C" double __VERIFIER_nondet_double();
template <class D> struct Ops {
  friend D operator/(const D &a, const D &b) { return D::divide(a, b); }
  friend D operator*(const D &a, const D &b) { return D::times(a, b); }
};
struct Dual : Ops<Dual> {
  double v, d;
  Dual(double v, double d = 0) : v(v), d(d) {}
  static Dual times(const Dual &a, const Dual &b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
  static Dual divide(const Dual &a, const Dual &b) { return {a.v / b.v, (a.d * b.v - a.v * b.d) / (b.v * b.v)}; }
};
template <class T> static T f(const T &x) { return T(1) / (x * x); }
int main() {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 1e-60 && x <= 10)) return 0;
  Dual r = f(Dual(x, 1));
  assert(std::isfinite(r.d));
}
