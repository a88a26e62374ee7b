// expect: assertion-failure at 14
// flags: -O2
#include <assert.h>
#include <math.h>

#include <xmmintrin.h>
float __VERIFIER_nondet_float(void);
int main(void) {
  // The second operand wins where either is a NaN.
  float x = __VERIFIER_nondet_float(), y = 1.0f;
  __m128 low = _mm_min_ps(_mm_set1_ps(x), _mm_set1_ps(y));
  assert(_mm_cvtss_f32(low) <= 1.0f);
  low = _mm_min_ps(_mm_set1_ps(y), _mm_set1_ps(x));
  assert(_mm_cvtss_f32(low) <= 1.0f);
}
