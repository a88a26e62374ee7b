// expect: holds
// flags: -O1 -lm
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);
void __VERIFIER_assume(int);

/* The ratio of the lesser to the greater: the compiler selects both without a branch. */
int main(void) {
  double x = fabs(__VERIFIER_nondet_double()), y = fabs(__VERIFIER_nondet_double());
  __VERIFIER_assume(x < 1e300 && y < 1e300);
  double least = x < y ? x : y, greatest = x > y ? x : y;
  if (greatest > 0) {
    double ratio = least / greatest, rest = (greatest - least) / greatest;
    assert(ratio >= 0 && ratio <= 1);
    assert(rest == 0 || rest >= 0x1p-54);
    assert(rest <= 1);
  }
}
