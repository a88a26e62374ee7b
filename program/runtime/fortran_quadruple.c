/* Functions of REAL(16), which flang leaves to a library that not every system has: glibc's. */

#define QUADRUPLE(NAME, OF)                                                                     \
    __float128 OF(__float128);                                                                  \
    BODY __float128 _FortranA##NAME##F128(__float128 x) { return OF(x); }
#define QUADRUPLE_2(NAME, OF)                                                                   \
    __float128 OF(__float128, __float128);                                                      \
    BODY __float128 _FortranA##NAME##F128(__float128 x, __float128 y) { return OF(x, y); }
QUADRUPLE(Acos, acosf128)
QUADRUPLE(Acosh, acoshf128)
QUADRUPLE(Asin, asinf128)
QUADRUPLE(Asinh, asinhf128)
QUADRUPLE(Atan, atanf128)
QUADRUPLE(Atanh, atanhf128)
QUADRUPLE(Ceil, ceilf128)
QUADRUPLE(Cos, cosf128)
QUADRUPLE(Cosh, coshf128)
QUADRUPLE(Erf, erff128)
QUADRUPLE(Erfc, erfcf128)
QUADRUPLE(Exp, expf128)
QUADRUPLE(Floor, floorf128)
QUADRUPLE(Lgamma, lgammaf128)
QUADRUPLE(Log, logf128)
QUADRUPLE(Log10, log10f128)
QUADRUPLE(Round, roundf128)
QUADRUPLE(Sin, sinf128)
QUADRUPLE(Sinh, sinhf128)
QUADRUPLE(Sqrt, sqrtf128)
QUADRUPLE(Tan, tanf128)
QUADRUPLE(Tanh, tanhf128)
QUADRUPLE(Tgamma, tgammaf128)
QUADRUPLE(Trunc, truncf128)
QUADRUPLE_2(Atan2, atan2f128)
QUADRUPLE_2(Pow, powf128)
QUADRUPLE_2(Hypot, hypotf128)
