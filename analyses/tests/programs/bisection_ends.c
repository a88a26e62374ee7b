// expect: holds
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int n = klee_get_value_i32(klee_range(1, 9, "n"));
  double low = 0, high = n + 1;
  int steps = 0;
  while (high - low > 1e-9) {
    double middle = low + (high - low) / 2;
    if (middle * middle <= n)
      low = middle;
    else
      high = middle;
    assert(++steps < 100);
  }
  assert(low * low <= n && high * high >= n);
}
