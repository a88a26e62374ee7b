// The functions of math.h that set errno, for programs that look at it: EDOM where a number has
// no result, ERANGE where a finite one overflows, has a pole, or underflows to zero.

#include "library.h"

#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)

// One value instead of a path for each case.
static void set(int domain, int range) { errno = domain ? EDOM : range ? ERANGE : errno; }

#define ONE(name, ending, T)                                                                       \
  T nanoscope_##name##ending(T);                                                                   \
  LIBRARY T name##ending(T x) {                                                                    \
    T r = nanoscope_##name##ending(x);                                                             \
    set(isnan(r) & !isnan(x), isinf(r) & isfinite(x));                                             \
    return r;                                                                                      \
  }

#define UNDERFLOWING(name, ending, T)                                                              \
  T nanoscope_##name##ending(T);                                                                   \
  LIBRARY T name##ending(T x) {                                                                    \
    T r = nanoscope_##name##ending(x);                                                             \
    set(0, (isinf(r) & isfinite(x)) | ((r == 0) & isfinite(x)));                                   \
    return r;                                                                                      \
  }

#define TWO(name, ending, T)                                                                       \
  T nanoscope_##name##ending(T, T);                                                                \
  LIBRARY T name##ending(T x, T y) {                                                               \
    T r = nanoscope_##name##ending(x, y);                                                          \
    set(isnan(r) & !isnan(x) & !isnan(y), isinf(r) & isfinite(x) & isfinite(y));                   \
    return r;                                                                                      \
  }

#define POWER(name, ending, T)                                                                     \
  T nanoscope_##name##ending(T, T);                                                                \
  LIBRARY T name##ending(T x, T y) {                                                               \
    T r = nanoscope_##name##ending(x, y);                                                          \
    int finite = isfinite(x) & isfinite(y);                                                        \
    set(isnan(r) & !isnan(x) & !isnan(y), finite & (isinf(r) | ((r == 0) & (x != 0))));            \
    return r;                                                                                      \
  }

#define SCALE(name, ending, T, N)                                                                  \
  T nanoscope_##name##ending(T, N);                                                                \
  LIBRARY T name##ending(T x, N n) {                                                               \
    T r = nanoscope_##name##ending(x, n);                                                          \
    set(0, isfinite(x) & (x != 0) & (isinf(r) | (r == 0)));                                        \
    return r;                                                                                      \
  }

#define ALL(ending, T)                                                                             \
  ONE(sqrt, ending, T)                                                                             \
  ONE(log, ending, T)                                                                              \
  ONE(log2, ending, T)                                                                             \
  ONE(log10, ending, T)                                                                            \
  ONE(log1p, ending, T)                                                                            \
  ONE(sin, ending, T)                                                                              \
  ONE(cos, ending, T)                                                                              \
  ONE(tan, ending, T)                                                                              \
  ONE(acos, ending, T)                                                                             \
  ONE(asin, ending, T)                                                                             \
  ONE(acosh, ending, T)                                                                            \
  ONE(atanh, ending, T)                                                                            \
  ONE(cosh, ending, T)                                                                             \
  ONE(sinh, ending, T)                                                                             \
  ONE(expm1, ending, T)                                                                            \
  ONE(tgamma, ending, T)                                                                           \
  ONE(lgamma, ending, T)                                                                           \
  UNDERFLOWING(exp, ending, T)                                                                     \
  UNDERFLOWING(exp2, ending, T)                                                                    \
  UNDERFLOWING(exp10, ending, T)                                                                   \
  TWO(fmod, ending, T)                                                                             \
  TWO(remainder, ending, T)                                                                        \
  TWO(hypot, ending, T)                                                                            \
  POWER(pow, ending, T)                                                                            \
  SCALE(ldexp, ending, T, int)                                                                     \
  SCALE(scalbn, ending, T, int)                                                                    \
  SCALE(scalbln, ending, T, long)

ALL(, double)
ALL(f, float)
ALL(l, long double)
