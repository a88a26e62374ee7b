// expect: assertion-failure at 16
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  // The tolerance is less than the distance of neighbouring floats from about 2 on.
  int n = klee_get_value_i32(klee_range(1, 9, "n"));
  float low = 0, high = n + 1;
  int steps = 0;
  while (high - low > 1e-7f) {
    float middle = (low + high) / 2;
    if (middle * middle <= n)
      low = middle;
    else
      high = middle;
    assert(++steps < 100);
  }
}
