// expect: invalid-free at 10
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  char *p = malloc(8);
  int skip = __VERIFIER_nondet_int();
  if (skip < 0 || skip > 1)
    return 0;
  free(p + skip);
}
