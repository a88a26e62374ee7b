// expect: holds
#include <assert.h>
#include <klee/klee.h>

struct point {
  double x, y;
};
int main(void) {
  struct point p;
  klee_make_symbolic(&p, sizeof p, "p");
  klee_assume(p.x >= 1);
  klee_assume(p.x <= 4);
  klee_assume(p.y == p.y);
  klee_assert(1 / p.x <= 1);
}
