// feature: flexible arrays, arrays of variable length
// exceptions: found, proved
// precision: bound
// test: found, proved
#include <math.h>
#include <stdlib.h>
struct row { int n; double v[]; };
double f(double x, double y) {
  struct row *r = malloc(sizeof *r + 2 * sizeof(double));
  r->n = 2, r->v[0] = x, r->v[1] = y;
  double copy[r->n];
  for (int i = 0; i < r->n; i++) copy[i] = r->v[i];
  free(r);
  double p = copy[0] * copy[1], q = 1 / (1 + fabs(copy[0]));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
