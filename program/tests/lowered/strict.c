// Operations that look at the rounding mode and raise what they raise.
#include <fenv.h>
#pragma STDC FENV_ACCESS ON

double strict(double a, float b, int n) {
  double c = a * b + n;
  if (c < a || c == b) c = (float)c;
  return c / (long)a;
}
