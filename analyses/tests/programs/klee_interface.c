// expect: holds
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  double x;
  int n = klee_range(0, 10, "n");
  klee_make_symbolic(&x, sizeof x, "x");
  klee_assume(x >= 0.5);
  klee_assume(x <= 0.75);
  klee_prefer_cex(&x, x == 0.5);
  if (n == 3)
    klee_silent_exit(0);
  klee_assert(n != 3 && n >= 0 && n < 10);
  assert(x * 2 >= 1 && x * 2 <= 1.5);
}
