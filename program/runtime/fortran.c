/* Bodies of flang's run-time functions that compute: reductions and products, numeric inquiry and
 * manipulation, powers. */

#define REDUCTION(NAME, T, FIRST, STEP, RESULT)                                                 \
    BODY T NAME(array a, const char *file, int line, int dim, array mask) {                     \
        FIRST;                                                                                  \
        for (index n = 0, count = elements(a); n < count; n++)                                  \
            if (!is_masked(mask, n)) {                                                          \
                T x = *(const T *)element(a, n);                                                \
                STEP;                                                                           \
            }                                                                                   \
        return RESULT;                                                                          \
    }

/* Kahan's summation. */
#define KAHAN(T, SUM, CORRECTION, X)                                                            \
    {                                                                                           \
        T next = (X) + CORRECTION, old = SUM;                                                     \
        SUM += next;                                                                            \
        CORRECTION = (SUM - old) - next;                                                        \
    }
#define SUM_REAL(NAME, T) \
    REDUCTION(NAME, T, T sum = 0; T correction = 0, KAHAN(T, sum, correction, x), sum)
SUM_REAL(_FortranASumReal4, float)
SUM_REAL(_FortranASumReal8, double)
SUM_REAL(_FortranASumReal10, long double)

#define SUM_COMPLEX(NAME, T)                                                                    \
    BODY void NAME(T *result, array a, const char *file, int line, int dim, array mask) {       \
        T re = 0, im = 0, re_correction = 0, im_correction = 0;                                 \
        for (index n = 0, count = elements(a); n < count; n++)                                  \
            if (!is_masked(mask, n)) {                                                          \
                const T *z = (const T *)element(a, n);                                          \
                KAHAN(T, re, re_correction, z[0])                                               \
                KAHAN(T, im, im_correction, z[1])                                               \
            }                                                                                   \
        result[0] = re, result[1] = im;                                                         \
    }
SUM_COMPLEX(_FortranACppSumComplex4, float)
SUM_COMPLEX(_FortranACppSumComplex8, double)

#define SUM_INTEGER(NAME, T) REDUCTION(NAME, T, T sum = 0, sum += x, sum)
SUM_INTEGER(_FortranASumInteger4, int32_t)
SUM_INTEGER(_FortranASumInteger8, int64_t)

/* A product that is zero stays so. */
#define PRODUCT(NAME, T) \
    REDUCTION(NAME, T, T product = 1, product *= x; if (product == 0) break, product)
PRODUCT(_FortranAProductReal4, float)
PRODUCT(_FortranAProductReal8, double)
PRODUCT(_FortranAProductReal10, long double)
PRODUCT(_FortranAProductInteger4, int32_t)
PRODUCT(_FortranAProductInteger8, int64_t)

/* A number takes the place of a NaN; of nothing at all it is the other end of the type. */
#define EXTREMUM(NAME, T, FIRST, OP)                                                            \
    REDUCTION(NAME, T, T found = FIRST; _Bool any = 0,                                          \
              if (!any || x OP found || found != found) found = x; any = 1, found)
EXTREMUM(_FortranAMaxvalReal4, float, -__FLT_MAX__, >)
EXTREMUM(_FortranAMaxvalReal8, double, -__DBL_MAX__, >)
EXTREMUM(_FortranAMinvalReal4, float, __FLT_MAX__, <)
EXTREMUM(_FortranAMinvalReal8, double, __DBL_MAX__, <)
EXTREMUM(_FortranAMaxvalInteger4, int32_t, INT32_MIN, >)
EXTREMUM(_FortranAMaxvalInteger8, int64_t, INT64_MIN, >)
EXTREMUM(_FortranAMinvalInteger4, int32_t, INT32_MAX, <)
EXTREMUM(_FortranAMinvalInteger8, int64_t, INT64_MAX, <)

/* The largest magnitude times the root of the scaled squares. */
#define NORM2(NAME, T)                                                                          \
    BODY T NAME(array a, const char *file, int line, int dim) {                                 \
        double most = 0, sum = 0;                                                               \
        for (index n = 0, count = elements(a); n < count; n++) {                                \
            double x = __builtin_fabs((double)*(const T *)element(a, n));                       \
            if (most == 0) {                                                                    \
                most = x;                                                                       \
            } else if (x > most) {                                                              \
                double t = most / x, square = t * t;                                            \
                sum *= square;                                                                  \
                sum += square;                                                                  \
                most = x;                                                                       \
            } else {                                                                            \
                double t = x / most;                                                            \
                sum += t * t;                                                                   \
            }                                                                                   \
        }                                                                                       \
        return (T)(most * __builtin_sqrt(1 + sum));                                             \
    }
NORM2(_FortranANorm2_4, float)
NORM2(_FortranANorm2_8, double)

#define DOT(NAME, T, WIDE)                                                                      \
    BODY T NAME(array a, array b, const char *file, int line) {                                 \
        WIDE sum = 0;                                                                           \
        for (index n = 0, count = elements(a); n < count; n++)                                  \
            sum += (WIDE) * (const T *)element(a, n) * (WIDE) * (const T *)element(b, n);       \
        return (T)sum;                                                                          \
    }
DOT(_FortranADotProductReal4, float, double)
DOT(_FortranADotProductReal8, double, double)
DOT(_FortranADotProductInteger4, int32_t, int32_t)
DOT(_FortranADotProductInteger8, int64_t, int64_t)

BODY _Bool _FortranAAny(array a, const char *file, int line, int dim) {
    for (index n = 0, count = elements(a); n < count; n++)
        if (is_true(a, element(a, n)))
            return 1;
    return 0;
}

BODY _Bool _FortranAAll(array a, const char *file, int line, int dim) {
    for (index n = 0, count = elements(a); n < count; n++)
        if (!is_true(a, element(a, n)))
            return 0;
    return 1;
}

BODY int64_t _FortranACount(array a, const char *file, int line, int dim) {
    int64_t found = 0;
    for (index n = 0, count = elements(a); n < count; n++)
        found += is_true(a, element(a, n));
    return found;
}

/* A product of matrices or of a matrix and a vector, into a result that is there. */
#define MATMUL_DIRECT(NAME, T)                                                                  \
    BODY void NAME(array result, array a, array b, const char *file, int line) {                \
        index rows = a->rank == 2 ? a->dim[0].extent : 1;                                       \
        index inner = a->rank == 2 ? a->dim[1].extent : a->dim[0].extent;                       \
        index columns = b->rank == 2 ? b->dim[1].extent : 1;                                    \
        index a_row = a->rank == 2 ? a->dim[0].stride : 0;                                      \
        index a_inner = a->rank == 2 ? a->dim[1].stride : a->dim[0].stride;                     \
        index b_column = b->rank == 2 ? b->dim[1].stride : 0;                                   \
        index r_row = a->rank == 2 ? result->dim[0].stride : 0;                                 \
        index r_column = b->rank == 2 ? result->dim[result->rank - 1].stride : 0;               \
        for (index j = 0; j < columns; j++)                                                     \
            for (index i = 0; i < rows; i++)                                                    \
                *(T *)(result->base + i * r_row + j * r_column) = 0;                            \
        for (index k = 0; k < inner; k++)                                                       \
            for (index j = 0; j < columns; j++) {                                               \
                T y = *(const T *)(b->base + k * b->dim[0].stride + j * b_column);              \
                for (index i = 0; i < rows; i++)                                                \
                    *(T *)(result->base + i * r_row + j * r_column) +=                          \
                        *(const T *)(a->base + i * a_row + k * a_inner) * y;                    \
            }                                                                                   \
    }
MATMUL_DIRECT(_FortranAMatmulDirectReal4Real4, float)
MATMUL_DIRECT(_FortranAMatmulDirectReal8Real8, double)
MATMUL_DIRECT(_FortranAMatmulDirectInteger4Integer4, int32_t)
MATMUL_DIRECT(_FortranAMatmulDirectInteger8Integer8, int64_t)

#define MATMUL(NAME, DIRECT)                                                                    \
    BODY void NAME(struct descriptor *result, array a, array b, const char *file, int line) {   \
        index rows = a->rank == 2 ? a->dim[0].extent : 1;                                       \
        index columns = b->rank == 2 ? b->dim[1].extent : 1;                                    \
        if (a->rank == 2 && b->rank == 2)                                                       \
            establish(result, a, 2, rows, columns);                                             \
        else                                                                                    \
            establish(result, a, 1, a->rank == 2 ? rows : columns, 1);                          \
        DIRECT(result, a, b, file, line);                                                       \
    }
MATMUL(_FortranAMatmulReal4Real4, _FortranAMatmulDirectReal4Real4)
MATMUL(_FortranAMatmulReal8Real8, _FortranAMatmulDirectReal8Real8)
MATMUL(_FortranAMatmulInteger4Integer4, _FortranAMatmulDirectInteger4Integer4)
MATMUL(_FortranAMatmulInteger8Integer8, _FortranAMatmulDirectInteger8Integer8)

#define EXPONENT(NAME, T, LETTER, R, MOST)                                                      \
    BODY R NAME(T x) {                                                                          \
        if (!__builtin_isfinite(x))                                                             \
            return MOST;                                                                        \
        if (x == 0)                                                                             \
            return 0;                                                                           \
        int e;                                                                                  \
        (void)__builtin_frexp##LETTER(x, &e);                                                   \
        return e;                                                                               \
    }
EXPONENT(_FortranAExponent4_4, float, f, int32_t, INT32_MAX)
EXPONENT(_FortranAExponent4_8, float, f, int64_t, INT64_MAX)
EXPONENT(_FortranAExponent8_4, double, , int32_t, INT32_MAX)
EXPONENT(_FortranAExponent8_8, double, , int64_t, INT64_MAX)

/* The result for what has no exponent of its own, or none. */
#define SPECIAL(X, NAN, ZERO)                                                                   \
    if (__builtin_isnan(X))                                                                     \
        return X;                                                                               \
    if (__builtin_isinf(X))                                                                     \
        return NAN;                                                                             \
    if (X == 0)                                                                                 \
        return ZERO;

#define MANIPULATION(T, LETTER, KIND, PRECISION, TINY, NAN)                                     \
    BODY T _FortranAFraction##KIND(T x) {                                                       \
        SPECIAL(x, NAN, x)                                                                      \
        int e;                                                                                  \
        return __builtin_frexp##LETTER(x, &e);                                                  \
    }                                                                                           \
    BODY T _FortranASetExponent##KIND(T x, int64_t p) {                                         \
        SPECIAL(x, NAN, x)                                                                      \
        int e;                                                                                  \
        (void)__builtin_frexp##LETTER(x, &e);                                                   \
        int64_t by = p - e;                                                                     \
        int n = by == (int)by ? (int)by : p < 0 ? INT32_MIN : INT32_MAX;                        \
        return __builtin_ldexp##LETTER(x, n);                                                   \
    }                                                                                           \
    BODY T _FortranAScale##KIND(T x, int64_t p) {                                               \
        int n = p == (int)p ? (int)p : p < 0 ? INT32_MIN : INT32_MAX;                           \
        return __builtin_ldexp##LETTER(x, n);                                                   \
    }                                                                                           \
    BODY T _FortranASpacing##KIND(T x) {                                                        \
        SPECIAL(x, NAN, TINY)                                                                   \
        int e;                                                                                  \
        (void)__builtin_frexp##LETTER(x, &e);                                                   \
        T result = __builtin_ldexp##LETTER((T)1, e - PRECISION);                                \
        return result == 0 ? TINY : result;                                                     \
    }                                                                                           \
    BODY T _FortranARRSpacing##KIND(T x) {                                                      \
        SPECIAL(x, NAN, (T)0)                                                                   \
        int e;                                                                                  \
        (void)__builtin_frexp##LETTER(x, &e);                                                   \
        return __builtin_ldexp##LETTER(__builtin_fabs##LETTER(x), PRECISION - e);               \
    }
MANIPULATION(float, f, 4, 24, __FLT_MIN__, __builtin_nanf(""))
MANIPULATION(double, , 8, 53, __DBL_MIN__, __builtin_nan(""))

#define NEAREST(NAME, T, BITS, SIGN)                                                            \
    BODY T NAME(T x, _Bool positive) {                                                          \
        union {                                                                                 \
            T value;                                                                            \
            BITS bits;                                                                          \
        } u = {x};                                                                              \
        if (x == 0) {                                                                           \
            u.bits = positive ? 1 : SIGN | 1;                                                   \
            return u.value;                                                                     \
        }                                                                                       \
        if (__builtin_isnan(x) || __builtin_isinf(x) && (x > 0) == positive)                    \
            return x;                                                                           \
        u.bits = (x > 0) == positive ? u.bits + 1 : u.bits - 1;                                 \
        return u.value;                                                                         \
    }
NEAREST(_FortranANearest4, float, uint32_t, 0x80000000u)
NEAREST(_FortranANearest8, double, uint64_t, 0x8000000000000000u)

/* By squaring; a negative power is the reciprocal of the positive one. */
#define POWER(NAME, T, N, LEAST, MOST)                                                          \
    BODY T NAME(T base, N power) {                                                              \
        if (power == 0)                                                                         \
            return 1;                                                                           \
        _Bool negative = power < 0, least = power == LEAST;                                     \
        N left = least ? MOST : negative ? -power : power;                                      \
        T result = 1, square = base;                                                            \
        for (;;) {                                                                              \
            if (left & 1)                                                                       \
                result *= square;                                                               \
            left >>= 1;                                                                         \
            if (left == 0)                                                                      \
                break;                                                                          \
            square *= square;                                                                   \
        }                                                                                       \
        if (least)                                                                              \
            result *= base;                                                                     \
        return negative ? 1 / result : result;                                                  \
    }
POWER(_FortranAFPow4i, float, int32_t, INT32_MIN, INT32_MAX)
POWER(_FortranAFPow4k, float, int64_t, INT64_MIN, INT64_MAX)
POWER(_FortranAFPow8i, double, int32_t, INT32_MIN, INT32_MAX)
POWER(_FortranAFPow8k, double, int64_t, INT64_MIN, INT64_MAX)
