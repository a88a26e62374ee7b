// expect: assertion-failure at 15
#include <assert.h>
double __VERIFIER_nondet_double(void);

#include <stdlib.h>
static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
int main(void) {
  double a[3];
  for (int i = 0; i < 3; i++)
    a[i] = __VERIFIER_nondet_double();
  qsort(a, 3, sizeof *a, compare);
  assert(!(a[0] > a[2]));
}
