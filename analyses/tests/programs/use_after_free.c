// expect: invalid-deref at 10
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  double *p = malloc(sizeof *p);
  *p = 1;
  if (__VERIFIER_nondet_int() == 12345)
    free(p);
  return *p > 0;
}
