// expect: holds
#include <cassert>
extern "C" double __VERIFIER_nondet_double();
extern "C" int __VERIFIER_nondet_int();
struct Shape {
  virtual double area() const = 0;
  virtual ~Shape() {}
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
};
struct Slab : Shape {
  double side;
  explicit Slab(double s) : side(s) {}
  double area() const override { return side * 2; }
};
template <typename T> T larger(T a, T b) { return a < b ? b : a; }
int main() {
  double s = __VERIFIER_nondet_double();
  if (!(s >= 1 && s <= 4))
    return 0;
  Shape *shape = __VERIFIER_nondet_int() ? static_cast<Shape *>(new Square(s)) : new Slab(s);
  assert(larger(shape->area(), 1.0) >= 1.0 && shape->area() <= 16);
  delete shape;
}
