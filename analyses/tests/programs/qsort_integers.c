// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

#include <stdlib.h>
static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
int main(void) {
  int a[4];
  for (int i = 0; i < 4; i++)
    a[i] = __VERIFIER_nondet_int();
  qsort(a, 4, sizeof *a, compare);
  assert(a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]);
}
