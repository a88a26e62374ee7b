// expect: invalid-free at 9
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  char *p = malloc(8);
  if (__VERIFIER_nondet_int() > 1000)
    free(p);
  free(p);
}
