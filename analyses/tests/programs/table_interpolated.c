// expect: holds
#include <assert.h>
void __VERIFIER_assume(int);
double __VERIFIER_nondet_double(void);

static const double table[9] = {0, 0.19509, 0.38268, 0.55557, 0.70711, 0.83147, 0.92388, 0.98079, 1};
static double within(double low, double high) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x >= low && x <= high);
  return x;
}
int main(void) {
  double x = within(0, 7.999);
  int i = (int)x;
  double f = x - i;
  double y = table[i] + (table[i + 1] - table[i]) * f;
  assert(y >= -0.0001 && y <= 1.0001);
}
