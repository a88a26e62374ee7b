// expect: assertion-failure at 12
#include <cassert>
extern "C" float __VERIFIER_nondet_float();
extern float scale;
static float half = scale / 2;
static float start() { return 8; }
float scale = start();
int main() {
  float x = __VERIFIER_nondet_float();
  if (!(x > 1 && x < 2)) return 0;
  // The first variable was initialised before the second: it is zero.
  assert(x * half > 1);
}
