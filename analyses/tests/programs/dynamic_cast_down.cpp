// expect: holds
#include <cassert>
#include <memory>
#include <typeinfo>
extern "C" int __VERIFIER_nondet_int();
struct Shape { virtual ~Shape() = default; };
struct Named { virtual ~Named() = default; int name = 7; };
struct Circle : Shape { double r = 2; };
struct Label : Shape, Named { double size = 3; };
struct Hidden : private Named, public Shape {};
int main() {
  int kind = __VERIFIER_nondet_int();
  std::unique_ptr<Shape> shape;
  if (kind == 0) shape = std::make_unique<Circle>();
  else if (kind == 1) shape = std::make_unique<Label>();
  else shape = std::make_unique<Hidden>();
  auto *circle = dynamic_cast<Circle *>(shape.get());
  auto *named = dynamic_cast<Named *>(shape.get());
  assert((circle != nullptr) == (kind == 0));
  assert((named != nullptr) == (kind == 1));
  assert(!circle || circle->r == 2);
  assert(!named || (named->name == 7 && dynamic_cast<Label *>(named)->size == 3));
  assert((typeid(*shape) == typeid(Label)) == (kind == 1));
}
