/* More functions whose handling of exceptions is known: one for every way in which values are passed,
 * given back and lost, and right ones. tests/subjects.rs says what must be found. */
#include <complex.h>
#include <errno.h>
#include <math.h>

#ifdef __clang__
#define API __attribute__((noinline, visibility("default")))
#else
#define API __attribute__((noipa, visibility("default")))
#endif

/* A NaN passes, but not one in a bound: no comparison with it is true. */
API float clip(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* fmax prefers a number to a NaN. */
API double positive_part(double x)
{
    return fmax(x, 0);
}

/* The operand order loses a NaN that is not first. */
API int argmax(const double *x, int n, double *value)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    *value = x[best];
    return best;
}

/* Right: the largest ignores a NaN, the division does not. */
API void normalise(float *x, int n)
{
    float largest = 0;
    for (int i = 0; i < n; i++)
        if (fabsf(x[i]) > largest)
            largest = fabsf(x[i]);
    if (largest == 0)
        return;
    for (int i = 0; i < n; i++)
        x[i] /= largest;
}

/* The guard that is meant for negative numbers catches a NaN too. */
API double root(double x)
{
    if (!(x >= 0))
        return 0;
    return sqrt(x);
}

/* Right: tells by errno. */
API double checked_log(double x)
{
    if (!(x > 0)) {
        errno = EDOM;
        return 0;
    }
    return log(x);
}

/* Right: tells by its return code. */
API int quotient(double a, double b, double *x)
{
    if (b == 0)
        return 1;
    *x = a / b;
    return isfinite(*x) ? 0 : 2;
}

struct pair { double low, high; };

/* Two numbers in two registers; a NaN is lost unless it is first. */
API struct pair extremes(const double *x, int n)
{
    struct pair p = { x[0], x[0] };
    for (int i = 1; i < n; i++) {
        if (x[i] < p.low)
            p.low = x[i];
        if (x[i] > p.high)
            p.high = x[i];
    }
    return p;
}

struct triple { double count, sum, squares; };

/* Right: three numbers in memory. */
API struct triple moments(const double *x, int n)
{
    struct triple t = { n, 0, 0 };
    for (int i = 0; i < n; i++) {
        t.sum += x[i];
        t.squares += x[i] * x[i];
    }
    return t;
}

/* Right: both parts in one register. */
API float complex stretched(float complex z, float factor)
{
    return __builtin_complex(crealf(z) * factor, cimagf(z) * factor);
}

/* A NaN in the real part is lost, one in the imaginary part is not. */
API double larger_part(double complex z)
{
    double a = fabs(creal(z)), b = fabs(cimag(z));
    return a > b ? a : b;
}

/* Fortran's convention, with the length of the character at the end. 'M', the largest, loses a NaN;
 * 'S', the sum, does not. */
API void norm_(const char *kind, const int *n, const double *x, double *result, long length)
{
    (void)length;
    double all = 0;
    for (int i = 0; i < *n; i++)
        if (*kind == 'S')
            all += fabs(x[i]);
        else if (all < fabs(x[i]))
            all = fabs(x[i]);
    *result = all;
}

/* Made for vectors: a NaN becomes 0. */
API void rectified(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] : 0;
}

/* Right: made for vectors and fused multiply-adds. */
API void axpy(float a, const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* Right: what is scaled by an infinity is NaN, not 0. */
API double scaled_norm(const double *x, int n)
{
    double scale = 0, sum = 0;
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) > scale)
            scale = fabs(x[i]);
    if (scale == 0)
        scale = 1;
    for (int i = 0; i < n; i++)
        sum += (x[i] / scale) * (x[i] / scale);
    return scale * sqrt(sum);
}

/* Right: -inf has a limit. */
API void softmax(double *x, int n)
{
    double largest = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > largest)
            largest = x[i];
    for (int i = 0; i < n; i++)
        sum += x[i] = exp(x[i] - largest);
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

/* What is not positive is left out, a NaN with it. */
API double mean_of_positive(const double *x, int n)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            sum += x[i];
            count++;
        }
    return count ? sum / count : 0;
}

/* Right: the x87 unit. */
API long double between(long double a, long double b, long double t)
{
    return a + t * (b - a);
}

/* The sum overflows on finite inputs, and the quotient hides it. An infinity has a limit. */
API float inverse_norm(float x, float y)
{
    return 1e15f / sqrtf(x * x + y * y);
}

char kinds[] = { 'M', 'S' }; /* not constant, so that no compiler makes a copy for each */

int main(void)
{
    double x[] = { 1, 3, 2, -4 }, z;
    float f[16], g[16];
    int n = 4;
    for (int i = 0; i < 16; i++) {
        f[i] = i - 7.5f;
        g[i] = 1 + i;
    }
    volatile double sink = clip(0.5f, 0, 1) + positive_part(2) + argmax(x, 4, &z) + root(4);
    sink += checked_log(2) + quotient(1, 2, &z) + extremes(x, 4).low + moments(x, 4).sum;
    sink += crealf(stretched(__builtin_complex(1.0f, 2.0f), 3)) + larger_part(__builtin_complex(1.0, 2.0));
    norm_(&kinds[0], &n, x, &z, 1);
    sink += z;
    norm_(&kinds[1], &n, x, &z, 1);
    sink += z;
    rectified(f, g, 16);
    axpy(2, f, g, 16);
    sink += scaled_norm(x, 4) + mean_of_positive(x, 4) + between(1, 2, 0.25L) + inverse_norm(3, 4);
    softmax(x, 4);
    normalise(f, 16);
    sink += x[0] + f[0] + g[0];
    return 0;
}
