// expect: holds
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  double x;
  klee_make_symbolic(&x, sizeof x, "x");
  if (x > 0 && x < 10)
    klee_assert(x * x <= 100 && x - x == 0);
}
