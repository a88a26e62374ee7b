// Our bodies of flang's run-time functions beside flang's own.
#include "random.h"

struct descriptor {
  void *base;
  uint64_t length;
  int32_t version;
  int8_t rank, type, attribute, extra;
  struct {
    int64_t lower, extent, stride;
  } dim[2];
};

// An array of one dimension, or two, its elements `step` apart.
static struct descriptor array(void *base, int type, uint64_t length, int64_t m, int64_t n,
                               int64_t step) {
  struct descriptor d = {base, length, 20180515, n ? 2 : 1, type, 0, 0, {}};
  d.dim[0].lower = d.dim[1].lower = 1;
  d.dim[0].extent = m;
  d.dim[0].stride = step;
  d.dim[1].extent = n;
  d.dim[1].stride = m * step;
  return d;
}
typedef const struct descriptor *D;

// What our bodies call where a program ends.
void ours_FortranAReportFatalUserError(const char *message, const char *file, int line) { __builtin_trap(); }

enum { REAL4 = 27, REAL8 = 28, INTEGER4 = 9 };

#define REDUCTION(name, T, x, mask)                                                                \
  {                                                                                                \
    T _FortranA##name(D, const char *, int, int, D), ours_FortranA##name(D, const char *, int, int, D); \
    T a = _FortranA##name(x, "", 1, 0, mask), b = ours_FortranA##name(x, "", 1, 0, mask);          \
    CHECK(#name, SAME((double)a, (double)b))                                                       \
  }
#define NORM(name, T, x)                                                                           \
  {                                                                                                \
    T _FortranA##name(D, const char *, int, int), ours_FortranA##name(D, const char *, int, int);  \
    T a = _FortranA##name(x, "", 1, 0), b = ours_FortranA##name(x, "", 1, 0);                      \
    CHECK(#name, SAME(a, b))                                                                       \
  }
#define DOT(name, T, x, y)                                                                         \
  {                                                                                                \
    T _FortranA##name(D, D, const char *, int), ours_FortranA##name(D, D, const char *, int);      \
    T a = _FortranA##name(x, y, "", 1), b = ours_FortranA##name(x, y, "", 1);                      \
    CHECK(#name, SAME((double)a, (double)b))                                                       \
  }
#define MATMUL(name, T, r, s, x, y)                                                                \
  {                                                                                                \
    void _FortranA##name(D, D, D, const char *, int), ours_FortranA##name(D, D, D, const char *, int); \
    _FortranA##name(r, x, y, "", 1);                                                               \
    ours_FortranA##name(s, x, y, "", 1);                                                           \
    for (int i = 0; i < 9; i++)                                                                    \
      CHECK(#name, SAME(((T *)(r)->base)[i], ((T *)(s)->base)[i]))                                 \
  }
#define ONE(name, R, T, x)                                                                         \
  {                                                                                                \
    R _FortranA##name(T), ours_FortranA##name(T);                                                  \
    R a = _FortranA##name(x), b = ours_FortranA##name(x);                                          \
    CHECK(#name, SAME((double)a, (double)b))                                                       \
  }
#define TWO(name, R, T, N, x, n)                                                                   \
  {                                                                                                \
    R _FortranA##name(T, N), ours_FortranA##name(T, N);                                            \
    R a = _FortranA##name(x, n), b = ours_FortranA##name(x, n);                                    \
    CHECK(#name, SAME(a, b))                                                                       \
  }

int main(void) {
  for (int round = 0; round < 30000; round++) {
    double x[18], y[18];
    float f[18], g[18];
    int32_t k[18], truth[18];
    int exotic = word() % 2;
    for (int i = 0; i < 18; i++) {
      x[i] = exotic ? any_double() : ldexp((double)(int64_t)word(), (int)(word() % 20) - 70);
      y[i] = exotic ? any_double() : ldexp((double)(int64_t)word(), (int)(word() % 20) - 70);
      f[i] = exotic ? any_float() : (float)x[i];
      g[i] = exotic ? any_float() : (float)y[i];
      k[i] = (int32_t)(word() % 2001) - 1000;
      truth[i] = word() % 2;
    }
    int count = word() % 10, apart = 1 + word() % 2;
    struct descriptor dx = array(x, REAL8, 8, count, 0, 8 * apart);
    struct descriptor dy = array(y, REAL8, 8, count, 0, 8);
    struct descriptor df = array(f, REAL4, 4, count, 0, 4 * apart);
    struct descriptor dg = array(g, REAL4, 4, count, 0, 4);
    struct descriptor dk = array(k, INTEGER4, 4, count, 0, 4 * apart);
    struct descriptor dm = array(truth, INTEGER4, 4, count, 0, 4);
    D mask = word() % 2 ? &dm : 0;
    REDUCTION(SumReal8, double, &dx, mask)
    REDUCTION(SumReal4, float, &df, mask)
    REDUCTION(SumInteger4, int32_t, &dk, mask)
    REDUCTION(ProductReal8, double, &dx, mask)
    REDUCTION(ProductReal4, float, &df, mask)
    REDUCTION(MaxvalReal8, double, &dx, mask)
    REDUCTION(MinvalReal8, double, &dx, mask)
    REDUCTION(MaxvalReal4, float, &df, mask)
    REDUCTION(MinvalReal4, float, &df, mask)
    REDUCTION(MaxvalInteger4, int32_t, &dk, mask)
    REDUCTION(MinvalInteger4, int32_t, &dk, mask)
    NORM(Norm2_8, double, &dx)
    NORM(Norm2_4, float, &df)
    DOT(DotProductReal8, double, &dx, &dy)
    DOT(DotProductReal4, float, &df, &dg)
    DOT(DotProductInteger4, int32_t, &dk, &dm)
    double r[9], s[9];
    float t[9], u[9];
    struct descriptor a = array(x, REAL8, 8, 3, 3, 8), b = array(y, REAL8, 8, 3, 3, 8);
    struct descriptor c = array(f, REAL4, 4, 3, 3, 4), d = array(g, REAL4, 4, 3, 3, 4);
    struct descriptor dr = array(r, REAL8, 8, 3, 3, 8), ds = array(s, REAL8, 8, 3, 3, 8);
    struct descriptor dt = array(t, REAL4, 4, 3, 3, 4), du = array(u, REAL4, 4, 3, 3, 4);
    MATMUL(MatmulDirectReal8Real8, double, &dr, &ds, &a, &b)
    MATMUL(MatmulDirectReal4Real4, float, &dt, &du, &c, &d)
    ONE(Exponent8_4, int32_t, double, x[0])
    ONE(Exponent4_4, int32_t, float, f[0])
    ONE(Fraction8, double, double, x[0])
    ONE(Fraction4, float, float, f[0])
    ONE(Spacing8, double, double, x[0])
    ONE(Spacing4, float, float, f[0])
    ONE(RRSpacing8, double, double, x[0])
    ONE(RRSpacing4, float, float, f[0])
    TWO(Scale8, double, double, int64_t, x[0], k[0])
    TWO(Scale4, float, float, int64_t, f[0], k[0] / 4)
    TWO(SetExponent8, double, double, int64_t, x[0], k[0])
    TWO(SetExponent4, float, float, int64_t, f[0], k[0] / 10)
    TWO(Nearest8, double, double, _Bool, x[0], k[0] > 0)
    TWO(Nearest4, float, float, _Bool, f[0], k[0] > 0)
    TWO(FPow8i, double, double, int32_t, x[0], k[0] / 50)
    TWO(FPow4i, float, float, int32_t, f[0], k[0] / 50)
    TWO(FPow8k, double, double, int64_t, x[0], k[0] / 50)
    char p[4], q[4];
    for (int i = 0; i < 4; i++) {
      p[i] = " ab\xe4"[word() % 4];
      q[i] = " ab\xe4"[word() % 4];
    }
    int _FortranACharacterCompareScalar1(const char *, const char *, uint64_t, uint64_t);
    int ours_FortranACharacterCompareScalar1(const char *, const char *, uint64_t, uint64_t);
    int m = word() % 5, n = word() % 5;
    int one = _FortranACharacterCompareScalar1(p, q, m, n);
    int two = ours_FortranACharacterCompareScalar1(p, q, m, n);
    CHECK("CharacterCompareScalar1", (one > 0) - (one < 0) == (two > 0) - (two < 0))
  }
  return wrong != 0;
}
