// expect: assertion-failure at 17
#include <assert.h>
#include <math.h>
#include <stdlib.h>
extern double __VERIFIER_nondet_double(void);
struct poly { int degree; double c[]; };
static double eval(const struct poly *p, double x) {
  double r = 0;
  for (int i = p->degree; i > 0; i--) r = r * x + p->c[i];
  return r * x;
}
int main(void) {
  struct poly *p = malloc(sizeof *p + 3 * sizeof(double));
  p->degree = 2;
  p->c[0] = 1; p->c[1] = 0; p->c[2] = __VERIFIER_nondet_double();
  double x = __VERIFIER_nondet_double();
  if (p->c[2] >= 0 && p->c[2] <= 10 && fabs(x) <= 10) assert(eval(p, x) >= 1);
  free(p);
  return 0;
}
