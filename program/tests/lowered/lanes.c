// Vectors, written with clang's headers and with GNU C's own.
#include <immintrin.h>

typedef double four __attribute__((vector_size(32)));

four blend(four a, four b) { return (a + b) * 2.0 - a[1]; }
__m128d least(__m128d a, __m128d b) { return _mm_min_sd(_mm_max_pd(a, b), _mm_sqrt_pd(b)); }
__m128 masks(__m128 a, __m128 b) { return _mm_or_ps(_mm_cmple_ss(a, b), _mm_cmp_ps(a, b, 17)); }
int bits(__m128d a, __m128i b) { return _mm_comilt_sd(a, a) + _mm_movemask_pd(a) + _mm_movemask_epi8(b); }
__m128i integers(__m128 a, __m128d b, int n) {
  return _mm_packs_epi32(_mm_srli_epi32(_mm_cvtps_epi32(a), n), _mm_cvttpd_epi32(b));
}
__m128d rounded(__m128d a) { return _mm_addsub_pd(_mm_hadd_pd(a, a), _mm_round_pd(a, 9)); }
__m256d some(const double *p, __m256i mask) { return _mm256_maskload_pd(p, mask); }
