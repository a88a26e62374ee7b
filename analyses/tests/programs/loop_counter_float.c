// expect: assertion-failure at 11
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  int n = klee_get_value_i32(klee_range(1, 40, "n"));
  float step = 1.0f / n, t = 0;
  int turns = 0;
  for (; t < 1.0f; t += step)
    turns++;
  assert(turns == n);
}
