// expect: assertion-failure at 10
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int n = klee_get_value_i32(klee_range(0, 5, "n"));
  double x = n;
  for (int i = 0; i < 5; i++)
    x = 0.5 * (x + n / x);
  assert(x >= 0);
}
