// Functions of math.h on known numbers, called through pointers so that no compiler knows them.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double numbers[] = {
    0.0,     -0.0,      1.0,    -1.0,        0.5,      -0.5,   1.5,    2.5,       -2.5,
    3.0,     0.1,       -7.3,   1e10,        1e16,     -1e300, 1e-300, 4.9e-324,  -4.9e-324,
    1e-310,  8.5,       -8.5,   2147483648., 1e19,     -1e19,  1.0e22, INFINITY,  -INFINITY,
    NAN,     0x1p-1022, 0x1.fffffffffffffp1023,        0.49999999999999994,       1e-45,
};
enum { COUNT = sizeof numbers / sizeof *numbers };

static void show(const char *name, double x) {
  unsigned long bits;
  memcpy(&bits, &x, sizeof x);
  // What a NaN's bits are, these functions do not promise.
  if (x != x)
    printf("%s nan\n", name);
  else
    printf("%s %016lx\n", name, bits);
}

static void show_float(const char *name, float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof x);
  if (x != x)
    printf("%s nan\n", name);
  else
    printf("%s %08x\n", name, bits);
}

static void show_extended(const char *name, long double x) {
  unsigned long bits;
  unsigned short top;
  memcpy(&bits, &x, 8);
  memcpy(&top, (char *)&x + 8, 2);
  if (x != x)
    printf("%s nan\n", name);
  else
    printf("%s %04x%016lx\n", name, top, bits);
}

#define ONE(list)                                                                                  \
  list(fabs) list(floor) list(ceil) list(trunc) list(round) list(roundeven) list(rint)             \
      list(nearbyint) list(sqrt) list(logb) list(nextup) list(nextdown) list(significand)
#define TWO(list)                                                                                  \
  list(copysign) list(fmod) list(remainder) list(fmin) list(fmax) list(fdim) list(nextafter)

typedef struct {
  const char *name;
  double (*of_double)(double);
  float (*of_float)(float);
  long double (*of_extended)(long double);
} one;
typedef struct {
  const char *name;
  double (*of_double)(double, double);
  float (*of_float)(float, float);
  long double (*of_extended)(long double, long double);
} two;
#define ROW(name) {#name, name, name##f, name##l},
static const one ones[] = {ONE(ROW)};
static const two twos[] = {TWO(ROW)};

int main(void) {
  for (unsigned f = 0; f < sizeof ones / sizeof *ones; f++) {
    for (int i = 0; i < COUNT; i++) {
      show(ones[f].name, ones[f].of_double(numbers[i]));
      show_float(ones[f].name, ones[f].of_float((float)numbers[i]));
      show_extended(ones[f].name, ones[f].of_extended(numbers[i]));
    }
  }
  for (unsigned f = 0; f < sizeof twos / sizeof *twos; f++) {
    for (int i = 0; i < COUNT; i++) {
      for (int j = i % 5; j < COUNT; j += 5) {
        show(twos[f].name, twos[f].of_double(numbers[i], numbers[j]));
        show_float(twos[f].name, twos[f].of_float((float)numbers[i], (float)numbers[j]));
        show_extended(twos[f].name, twos[f].of_extended(numbers[i], numbers[j]));
      }
    }
  }
  long (*volatile to_long[])(double) = {lrint, lround};
  long (*volatile extended_to_long[])(long double) = {lrintl, lroundl};
  int (*volatile classify[])(double) = {ilogb, __fpclassify, __signbit, __isinf, __finite, __isnan};
  int (*volatile classify_float[])(float) = {ilogbf,  __fpclassifyf, __signbitf,
                                             __isinff, __finitef,    __isnanf};
  int (*volatile classify_extended[])(long double) = {ilogbl,  __fpclassifyl, __signbitl,
                                                      __isinfl, __finitel,    __isnanl};
  double (*volatile scale)(double, int) = ldexp;
  float (*volatile scale_float)(float, int) = scalbnf;
  long double (*volatile scale_extended)(long double, long) = scalblnl;
  double (*volatile split)(double, int *) = frexp;
  double (*volatile parts)(double, double *) = modf;
  double (*volatile quotient)(double, double, int *) = remquo;
  double (*volatile toward)(double, long double) = nexttoward;
  double (*volatile fused)(double, double, double) = fma;
  for (int i = 0; i < COUNT; i++) {
    double x = numbers[i];
    for (int k = 0; k < 2; k++)
      printf("long %ld %ld\n", to_long[k](x), extended_to_long[k](x));
    for (int k = 0; k < 6; k++)
      printf("class %d %d %d\n", classify[k](x), classify_float[k]((float)x),
             classify_extended[k](x));
    for (int n = -1100; n <= 1100; n += 220) {
      show("scale", scale(x, n));
      show_float("scale", scale_float((float)x, n));
      show_extended("scale", scale_extended(x, 15l * n));
    }
    int n;
    show("frexp", split(x, &n));
    printf("exponent %d\n", n);
    double whole;
    show("modf", parts(x, &whole));
    show("whole", whole);
    for (int j = 2; j < COUNT; j += 3) {
      n = 77;
      double r = quotient(x, numbers[j], &n);
      show("remquo", r);
      if (r == r)
        printf("quotient %d\n", n);
      show("toward", toward(x, numbers[j]));
      show("fma", fused(x, numbers[j], -1.25));
    }
  }
  return 0;
}
