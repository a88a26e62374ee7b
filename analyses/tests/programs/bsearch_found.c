// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

#include <stdlib.h>
static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}
int main(void) {
  static const int table[] = {2, 3, 5, 7, 11, 13};
  int key = __VERIFIER_nondet_int();
  if (key < 0 || key > 20)
    return 0;
  int prime = key == 2 || key == 3 || key == 5 || key == 7 || key == 11 || key == 13;
  const int *found = bsearch(&key, table, 6, sizeof *table, compare);
  assert((found != 0) == prime && (!found || *found == key));
}
