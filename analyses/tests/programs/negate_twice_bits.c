// expect: holds
#include <string.h>
#include <assert.h>
double __VERIFIER_nondet_double(void);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = -(-x);
  assert(memcmp(&x, &y, sizeof x) == 0);
}
