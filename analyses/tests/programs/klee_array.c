// expect: assertion-failure at 9
#include <assert.h>
#include <klee/klee.h>

int main(void) {
  float a[3];
  klee_make_symbolic(a, sizeof a, "a");
  if (a[0] > 1 && a[1] > a[0] && a[2] == a[0] + a[1])
    klee_assert(a[2] < 100);
}
