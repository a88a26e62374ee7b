// expect: assertion-failure at 17
#include <assert.h>
float __VERIFIER_nondet_float(void);

int main(void) {
  float x = 10, y = __VERIFIER_nondet_float(), w, z = 1;
  if (!(y > -41))
    return 0;
  w = y < 0 ? 0 - y : y;
  int turns = 0;
  while (w > 0 && turns < 40) {
    z = z * x;
    w = w - 1;
    turns++;
  }
  if (y < 0 && w <= 0)
    assert(turns != 40);
}
