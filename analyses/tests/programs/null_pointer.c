// expect: invalid-deref at 14
#include <stddef.h>
int __VERIFIER_nondet_int(void);

static int *find(int *a, int n, int key) {
  for (int i = 0; i < n; i++) {
    if (a[i] == key)
      return &a[i];
  }
  return NULL;
}
int main(void) {
  int a[3] = {3, 1, 4};
  return *find(a, 3, __VERIFIER_nondet_int());
}
