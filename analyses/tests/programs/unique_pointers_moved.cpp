// expect: assertion-failure at 13
#include <cassert>
#include <memory>
#include <utility>
extern "C" int __VERIFIER_nondet_int();
struct Cell { double value; };
int main() {
  auto first = std::make_unique<Cell>(Cell{1.5});
  std::unique_ptr<Cell> second;
  if (__VERIFIER_nondet_int() == 7) second = std::move(first);
  if (second) assert(second->value == 1.5);
  // What was moved is gone.
  assert(first != nullptr);
}
