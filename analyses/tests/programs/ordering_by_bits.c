// expect: assertion-failure at 14
#include <assert.h>
double __VERIFIER_nondet_double(void);

#include <string.h>
int main(void) {
  // Comparing encodings as integers is right for positive numbers only.
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  long i, j;
  if (!(x > -10 && x < 10 && y > -10 && y < 10))
    return 0;
  memcpy(&i, &x, 8);
  memcpy(&j, &y, 8);
  assert((x < y) == (i < j));
}
