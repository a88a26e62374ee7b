// expect: assertion-failure at 25
#include <cassert>
#include <memory>
extern "C" double __VERIFIER_nondet_double();
struct Sensor { double value = 0; int reads = 0; };
class Filter {
  std::shared_ptr<Sensor> sensor;
  double state = 0;
public:
  explicit Filter(std::shared_ptr<Sensor> s) : sensor(std::move(s)) {}
  double update() {
    ++sensor->reads;
    state = 0.5 * state + sensor->value;
    return state;
  }
};
int main() {
  auto s = std::make_shared<Sensor>();
  Filter a(s), b(s);
  assert(s.use_count() == 3);
  for (int i = 0; i < 3; ++i) {
    s->value = __VERIFIER_nondet_double();
    if (!(s->value >= -1 && s->value <= 1)) return 0;
    double u = a.update(), v = b.update();
    assert(u == v && u <= 1);
  }
  assert(s->reads == 6);
}
