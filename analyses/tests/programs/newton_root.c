// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
#include <klee/klee.h>

int main(void) {
  int n = klee_get_value_i32(klee_range(1, 17, "n"));
  double x = n;
  for (int i = 0; i < 10; i++)
    x = 0.5 * (x + n / x);
  assert(fabs(x * x - n) < 1e-12);
}
