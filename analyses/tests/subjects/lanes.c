/* Intrinsics of clang's headers: what they do is done where they are called. */
#include <immintrin.h>

void fused(const double x[4], double y[4], double a) {
    __m256d v = _mm256_loadu_pd(x), w = _mm256_loadu_pd(y);
    w = _mm256_fmadd_pd(_mm256_set1_pd(a), v, w); /* finds: overflow underflow */
    _mm256_storeu_pd(y, w);
}

void kept_apart(const float x[4], float z[4]) {
    __m128 m = _mm_max_ps(_mm_loadu_ps(x), _mm_set1_ps(1e-3f));
    _mm_storeu_ps(z, _mm_div_ps(_mm_set1_ps(1), m)); /* finds: underflow */
}
