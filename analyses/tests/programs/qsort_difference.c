// expect: assertion-failure at 13
#include <assert.h>
int __VERIFIER_nondet_int(void);

#include <stdlib.h>
static int compare(const void *a, const void *b) {
  // The difference overflows.
  return (int)((unsigned)*(const int *)a - (unsigned)*(const int *)b);
}
int main(void) {
  int a[2] = {__VERIFIER_nondet_int(), __VERIFIER_nondet_int()};
  qsort(a, 2, sizeof *a, compare);
  assert(a[0] <= a[1]);
}
