// expect: invalid-deref at 10
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int *a = malloc(5 * sizeof *a);
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 5)
    return 0;
  a[i] = 1;
  free(a);
}
