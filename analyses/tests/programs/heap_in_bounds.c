// expect: holds
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int *a = calloc(5, sizeof *a);
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 4)
    return 0;
  a[i] = 7;
  int sum = 0;
  for (int k = 0; k < 5; k++)
    sum += a[k];
  assert(sum == 7);
  free(a);
}
