// expect: holds
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int *a = malloc(2 * sizeof *a), n = __VERIFIER_nondet_int();
  a[0] = n;
  a[1] = ~n;
  a = realloc(a, 10 * sizeof *a);
  a[9] = 5;
  assert(a[0] == n && a[1] == ~n && a[9] == 5);
  free(a);
}
