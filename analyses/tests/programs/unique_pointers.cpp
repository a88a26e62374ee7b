// expect: holds
#include <cassert>
#include <memory>
#include <vector>
extern "C" double __VERIFIER_nondet_double();
struct Shape { virtual double area() const = 0; virtual ~Shape() = default; };
struct Square : Shape { double side; explicit Square(double s) : side(s) {} double area() const override { return side * side; } };
struct Strip : Shape { double width; explicit Strip(double w) : width(w) {} double area() const override { return width < 0 ? -width : width; } };
int main() {
  double x = __VERIFIER_nondet_double();
  if (x != x) return 0;
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(x));
  shapes.push_back(std::make_unique<Strip>(x));
  for (const auto &shape : shapes) assert(shape->area() >= 0);
}
