// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  static double ring[8];
  int at = 0;
  while (__VERIFIER_nondet_int()) {
    ring[at] = within(-1, 1);
    at = (at + 1) % 8;
    double sum = 0;
    for (int i = 0; i < 8; i++)
      sum += ring[i];
    assert(sum / 8 >= -1.0001 && sum / 8 <= 1.0001);
  }
}
