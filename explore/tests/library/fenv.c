// Rounding modes and flags on known numbers.
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xmmintrin.h>
#pragma STDC FENV_ACCESS ON

static const double numbers[] = {0.0,    1.0,    -1.0,   3.0,      0.1,     1e308,
                                 1e-308, -2.5,   1e16,   4.9e-324, INFINITY, NAN};
enum { COUNT = sizeof numbers / sizeof *numbers };
static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

static void show(double x) {
  int flags = fetestexcept(FE_ALL_EXCEPT);
  // Printing changes neither, but let that not matter.
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  if (x != x)
    printf("nan %x\n", flags);
  else
    printf("%a %x\n", x, flags);
  fesetround(mode);
  feclearexcept(FE_ALL_EXCEPT);
}

int main(void) {
  for (int m = 0; m < 4; m++) {
    printf("mode %d\n", fesetround(modes[m]));
    feclearexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < COUNT; i++) {
      volatile double x = numbers[i];
      for (int j = 0; j < COUNT; j++) {
        volatile double y = numbers[j];
        volatile double r;
        r = x + y;
        show(r);
        r = x * y;
        show(r);
        r = x / y;
        show(r);
      }
      volatile float f = (float)x;
      show(f);
      volatile double r = sqrt(x);
      show(r);
      r = rint(x);
      show(r);
      r = nearbyint(x);
      show(r);
      volatile int below = x < 1.0;
      show(below);
    }
    char *end;
    show(strtod("0.1", &end));
    show(strtod("-0.3333333333333333333333333", &end));
  }
  fesetround(FE_TONEAREST);
  printf("%d %d %d\n", fesetround(5), fegetround(), feraiseexcept(FE_INVALID | FE_INEXACT));
  printf("%x\n", fetestexcept(FE_ALL_EXCEPT));
  fexcept_t saved;
  fegetexceptflag(&saved, FE_INVALID);
  feclearexcept(FE_ALL_EXCEPT);
  fesetexceptflag(&saved, FE_INVALID | FE_OVERFLOW);
  printf("%x\n", fetestexcept(FE_ALL_EXCEPT));
  fenv_t environment;
  fesetround(FE_UPWARD);
  feholdexcept(&environment);
  printf("%x %x\n", fetestexcept(FE_ALL_EXCEPT), fegetround());
  feraiseexcept(FE_DIVBYZERO);
  fesetround(FE_DOWNWARD);
  feupdateenv(&environment);
  printf("%x %x\n", fetestexcept(FE_ALL_EXCEPT), fegetround());
  fesetenv(FE_DFL_ENV);
  printf("%x %x\n", fetestexcept(FE_ALL_EXCEPT), fegetround());
  fesetround(FE_TOWARDZERO);
  printf("%x\n", _mm_getcsr() & 0x6000);
  _mm_setcsr((_mm_getcsr() & ~0x603fu) | 0x4000 | 0x10);
  printf("%x %x\n", _mm_getcsr() & 0x6000, fetestexcept(FE_ALL_EXCEPT));
  return 0;
}
