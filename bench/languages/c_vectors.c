// feature: intrinsics (SSE2 to AVX2, FMA)
// exceptions: found, proved
// precision: bound
// test: found, proved
// flags: -mavx2 -mfma
#include <immintrin.h>
#include <math.h>
#include <stdlib.h>
double f(double x, double y) {
  __m128d v = _mm_mul_pd(_mm_set_pd(x, 1), _mm_set_pd(y, 1));
  double p = _mm_cvtsd_f64(_mm_unpackhi_pd(v, v));
  double q = _mm_cvtsd_f64(_mm_div_sd(_mm_set_sd(1), _mm_set_sd(1 + fabs(x))));
#ifndef PLAIN
  if (q > 1) abort();
  if (p > 1e308) abort();
#endif
  return p * q;
}
