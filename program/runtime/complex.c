// Products and quotients of complex numbers, as libgcc computes them where a compiler calls it;
// magnitudes and arguments, as glibc does.
//
// A product of two infinite or one infinite and one finite number is infinite, whatever NaNs the
// formula gives (C, Annex G). A quotient scales its operands (Smith 1962, made robust by Baudin
// and Smith 2012), so that the denominator neither overflows nor vanishes.

#define BODY __attribute__((always_inline))

#define NAN_BOTH(x, y) (__builtin_isnan(x) & __builtin_isnan(y))
// One with the sign of x for an infinity, zero with its sign for anything else.
#define BOXED(x, copysign) copysign(__builtin_isinf(x) ? 1 : 0, x)

// What follows when a formula gave two NaNs only chooses among numbers that are there: nothing new
// is computed, so that nothing is raised a second time.
//
// The product with something boxed, which is -1, 0 or 1.
#define TIMES(boxed, x) ((boxed) > 0 ? (x) : (boxed) < 0 ? -(x) : 0)
// The product with zero in the place of NaNs.
#define CLEARED(product, a, b) (__builtin_isnan(a) || __builtin_isnan(b) ? 0 : (product))
// An infinity times p + q.
#define INFINITE_SUM(p, q, infinity)                                                               \
  ((p) > -(q) ? infinity : (p) < -(q) ? -infinity : __builtin_nan(""))
// An infinity with the sign of c, times a.
#define INFINITE_PRODUCT(c, a, copysign, infinity)                                                 \
  ((a) > 0 ? copysign(infinity, c) : (a) < 0 ? -copysign(infinity, c) : __builtin_nan(""))

#define PRODUCT(name, T, copysign, infinity)                                                       \
  BODY T _Complex name(T a, T b, T c, T d) {                                                       \
    T ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                              \
    T x = ac - bd, y = ad + bc;                                                                    \
    if (NAN_BOTH(x, y)) {                                                                          \
      int first = __builtin_isinf(a) || __builtin_isinf(b);                                        \
      int second = __builtin_isinf(c) || __builtin_isinf(d);                                       \
      int between = __builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) ||           \
                    __builtin_isinf(bc);                                                           \
      if (first) {                                                                                 \
        a = BOXED(a, copysign), b = BOXED(b, copysign);                                            \
        /* Of an infinity counts the sign, of a NaN nothing. */                                    \
        c = second ? BOXED(c, copysign) : __builtin_isnan(c) ? 0 : c;                              \
        d = second ? BOXED(d, copysign) : __builtin_isnan(d) ? 0 : d;                              \
        x = INFINITE_SUM(TIMES(a, c), -TIMES(b, d), infinity);                                     \
        y = INFINITE_SUM(TIMES(a, d), TIMES(b, c), infinity);                                      \
      } else if (second) {                                                                         \
        c = BOXED(c, copysign), d = BOXED(d, copysign);                                            \
        a = __builtin_isnan(a) ? 0 : a, b = __builtin_isnan(b) ? 0 : b;                            \
        x = INFINITE_SUM(TIMES(c, a), -TIMES(d, b), infinity);                                     \
        y = INFINITE_SUM(TIMES(d, a), TIMES(c, b), infinity);                                      \
      } else if (between) {                                                                        \
        x = INFINITE_SUM(CLEARED(ac, a, c), -CLEARED(bd, b, d), infinity);                         \
        y = INFINITE_SUM(CLEARED(ad, a, d), CLEARED(bc, b, c), infinity);                          \
      }                                                                                            \
    }                                                                                              \
    T _Complex result;                                                                             \
    __real__ result = x;                                                                           \
    __imag__ result = y;                                                                           \
    return result;                                                                                 \
  }

// What a quotient is whose both parts came out as NaN: by zero, of an infinity, by an infinity.
#define RECOVERED(x, y, a, b, c, d, T, copysign, infinity)                                         \
  if (NAN_BOTH(x, y)) {                                                                            \
    if (c == 0 && d == 0 && !NAN_BOTH(a, b)) {                                                     \
      x = INFINITE_PRODUCT(c, a, copysign, infinity);                                              \
      y = INFINITE_PRODUCT(c, b, copysign, infinity);                                              \
    } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) &&              \
               __builtin_isfinite(d)) {                                                            \
      T u = BOXED(a, copysign), v = BOXED(b, copysign);                                            \
      x = INFINITE_SUM(TIMES(u, c), TIMES(v, d), infinity);                                        \
      y = INFINITE_SUM(TIMES(v, c), -TIMES(u, d), infinity);                                       \
    } else if ((__builtin_isinf(c) || __builtin_isinf(d)) && __builtin_isfinite(a) &&              \
               __builtin_isfinite(b)) {                                                            \
      T u = BOXED(c, copysign), v = BOXED(d, copysign);                                            \
      x = 0 * (a * u + b * v);                                                                     \
      y = 0 * (b * u - a * v);                                                                     \
    }                                                                                              \
  }

#define QUOTIENT(name, T, magnitude, copysign, infinity, LARGEST, LEAST, EPSILON)                  \
  BODY T _Complex name(T a, T b, T c, T d) {                                                       \
    const T half_of_largest = LARGEST / 2, up = 1 / EPSILON;                                       \
    const T room = half_of_largest * EPSILON;                                                      \
    int by_imaginary = magnitude(c) < magnitude(d);                                                \
    T most = by_imaginary ? d : c;                                                                 \
    if (magnitude(most) >= half_of_largest) {                                                      \
      a /= 2, b /= 2, c /= 2, d /= 2;                                                              \
      most = by_imaginary ? d : c;                                                                 \
    }                                                                                              \
    int is_small = magnitude(most) < EPSILON;                                                      \
    int has_room = magnitude(most) < room;                                                         \
    if (is_small ||                                                                                \
        has_room && ((magnitude(a) < LEAST && magnitude(b) < room) ||                              \
                     (magnitude(b) < LEAST && magnitude(a) < room)))                               \
      a *= up, b *= up, c *= up, d *= up;                                                          \
    /* The greater part of the denominator and the less, and the numerator's parts that go with    \
     * them. */                                                                                    \
    T less = by_imaginary ? c : d, with_less = by_imaginary ? a : b;                               \
    most = by_imaginary ? d : c;                                                                   \
    T with_most = by_imaginary ? b : a;                                                            \
    T ratio = less / most, denominator = less * ratio + most;                                      \
    T first, second;                                                                               \
    if (magnitude(ratio) > LEAST) {                                                                \
      first = with_less * ratio, second = with_most * ratio;                                       \
    } else {                                                                                       \
      first = less * (with_less / most), second = less * (with_most / most);                       \
    }                                                                                              \
    T x = (first + with_most) / denominator;                                                       \
    T y = by_imaginary ? second : with_less, minus = by_imaginary ? with_less : second;            \
    y = (y - minus) / denominator;                                                                 \
    RECOVERED(x, y, a, b, c, d, T, copysign, infinity)                                             \
    T _Complex result;                                                                             \
    __real__ result = x;                                                                           \
    __imag__ result = y;                                                                           \
    return result;                                                                                 \
  }

PRODUCT(__mulsc3, float, __builtin_copysignf, __builtin_inff())
PRODUCT(__muldc3, double, __builtin_copysign, __builtin_inf())
PRODUCT(__mulxc3, long double, __builtin_copysignl, __builtin_infl())

QUOTIENT(__divdc3, double, __builtin_fabs, __builtin_copysign, __builtin_inf(), __DBL_MAX__,
         __DBL_MIN__, __DBL_EPSILON__)
QUOTIENT(__divxc3, long double, __builtin_fabsl, __builtin_copysignl, __builtin_infl(),
         __LDBL_MAX__, __LDBL_MIN__, __LDBL_EPSILON__)

// In single precision there is room enough in double.
BODY float _Complex __divsc3(float a, float b, float c, float d) {
  double denominator = (double)c * c + (double)d * d;
  float x = ((double)a * c + (double)b * d) / denominator;
  float y = ((double)b * c - (double)a * d) / denominator;
  RECOVERED(x, y, a, b, c, d, float, __builtin_copysignf, __builtin_inff())
  float _Complex result;
  __real__ result = x;
  __imag__ result = y;
  return result;
}

#define HYPOTENUSE(cabs, carg, T, hypot, atan2)                                                    \
  BODY T cabs(T _Complex z) { return hypot(__real__ z, __imag__ z); }                              \
  BODY T carg(T _Complex z) { return atan2(__imag__ z, __real__ z); }

HYPOTENUSE(cabsf, cargf, float, __builtin_hypotf, __builtin_atan2f)
HYPOTENUSE(cabs, carg, double, __builtin_hypot, __builtin_atan2)
HYPOTENUSE(cabsl, cargl, long double, __builtin_hypotl, __builtin_atan2l)
