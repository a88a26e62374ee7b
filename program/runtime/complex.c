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
#define WITHOUT_NAN(x, copysign) (__builtin_isnan(x) ? copysign(0, x) : x)

#define PRODUCT(name, T, copysign, infinity)                                                       \
  BODY T _Complex name(T a, T b, T c, T d) {                                                       \
    T ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                              \
    T x = ac - bd, y = ad + bc;                                                                    \
    if (NAN_BOTH(x, y)) {                                                                          \
      int again = 0;                                                                               \
      if (__builtin_isinf(a) || __builtin_isinf(b)) {                                              \
        a = BOXED(a, copysign), b = BOXED(b, copysign);                                            \
        c = WITHOUT_NAN(c, copysign), d = WITHOUT_NAN(d, copysign);                                \
        again = 1;                                                                                 \
      }                                                                                            \
      if (__builtin_isinf(c) || __builtin_isinf(d)) {                                              \
        c = BOXED(c, copysign), d = BOXED(d, copysign);                                            \
        a = WITHOUT_NAN(a, copysign), b = WITHOUT_NAN(b, copysign);                                \
        again = 1;                                                                                 \
      }                                                                                            \
      if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) ||          \
                     __builtin_isinf(bc))) {                                                       \
        a = WITHOUT_NAN(a, copysign), b = WITHOUT_NAN(b, copysign);                                \
        c = WITHOUT_NAN(c, copysign), d = WITHOUT_NAN(d, copysign);                                \
        again = 1;                                                                                 \
      }                                                                                            \
      if (again) {                                                                                 \
        x = infinity * (a * c - b * d);                                                            \
        y = infinity * (a * d + b * c);                                                            \
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
      x = copysign(infinity, c) * a;                                                               \
      y = copysign(infinity, c) * b;                                                               \
    } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) &&              \
               __builtin_isfinite(d)) {                                                            \
      T u = BOXED(a, copysign), v = BOXED(b, copysign);                                            \
      x = infinity * (u * c + v * d);                                                              \
      y = infinity * (v * c - u * d);                                                              \
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
    /* The greater part of the denominator, and the less. */                                       \
    int by_imaginary = magnitude(c) < magnitude(d);                                                \
    T most = by_imaginary ? d : c;                                                                 \
    if (magnitude(most) >= half_of_largest) {                                                      \
      a /= 2, b /= 2, c /= 2, d /= 2;                                                              \
      most /= 2;                                                                                   \
    }                                                                                              \
    int is_small = magnitude(most) < EPSILON;                                                      \
    int has_room = magnitude(most) < room;                                                         \
    if (is_small ||                                                                                \
        has_room && ((magnitude(a) < LEAST && magnitude(b) < room) ||                              \
                     (magnitude(b) < LEAST && magnitude(a) < room)))                               \
      a *= up, b *= up, c *= up, d *= up;                                                          \
    T x, y;                                                                                        \
    if (by_imaginary) {                                                                            \
      T ratio = c / d, denominator = c * ratio + d;                                                \
      int is_normal = magnitude(ratio) > LEAST;                                                    \
      x = ((is_normal ? a * ratio : c * (a / d)) + b) / denominator;                               \
      y = ((is_normal ? b * ratio : c * (b / d)) - a) / denominator;                               \
    } else {                                                                                       \
      T ratio = d / c, denominator = d * ratio + c;                                                \
      int is_normal = magnitude(ratio) > LEAST;                                                    \
      x = ((is_normal ? b * ratio : d * (b / c)) + a) / denominator;                               \
      y = (b - (is_normal ? a * ratio : d * (a / c))) / denominator;                               \
    }                                                                                              \
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
