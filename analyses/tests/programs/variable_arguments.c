// expect: holds
#include <assert.h>
#include <stdarg.h>
int __VERIFIER_nondet_int(void);
double __VERIFIER_nondet_double(void);

static double total(const char *kinds, ...) {
  va_list list;
  double sum = 0;
  va_start(list, kinds);
  for (; *kinds; kinds++) {
    if (*kinds == 'i')
      sum += va_arg(list, int);
    else if (*kinds == 'd')
      sum += va_arg(list, double);
    else
      sum += (double)va_arg(list, long double);
  }
  va_end(list);
  return sum;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  double x = __VERIFIER_nondet_double();
  if (!(x >= 1 && x <= 2) || n < 0 || n > 1000)
    return 0;
  assert(total("idild", n, x, 1, 3.0L, 4.0) == 0.0 + n + x + 1 + 3.0 + 4.0);
}
