// expect: holds
// flags: -mavx2 -mfma
#include <assert.h>
#include <immintrin.h>
#include <math.h>
extern double __VERIFIER_nondet_double(void);
static double dot(const double *a, const double *b) {
  __m256d s = _mm256_setzero_pd();
  s = _mm256_fmadd_pd(_mm256_loadu_pd(a), _mm256_loadu_pd(b), s);
  __m128d h = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
  return _mm_cvtsd_f64(_mm_hadd_pd(h, h));
}
int main(void) {
  double a[4], b[4];
  for (int i = 0; i < 4; i++) {
    a[i] = __VERIFIER_nondet_double(); b[i] = __VERIFIER_nondet_double();
    const double most = 1e153;
    if (!(fabs(a[i]) <= most && fabs(b[i]) <= most)) return 0;
  }
  assert(isfinite(dot(a, b)));
  return 0;
}
