/* Functions whose handling of exceptions is known, and a main that calls each of them.
 tests/subjects.rs says what must be found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No copies of a function that the compiler has specialised: they have no prototype. */
#ifdef __clang__
#define API __attribute__((noinline, visibility("default")))
#else
#define API __attribute__((noipa, visibility("default")))
#endif

/* The comparison is false for a NaN: it is lost, unless it comes first. */
API double max_pool(const double *x, int n)
{
    double best = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > best)
            best = x[i];
    return best;
}

/* A norm that clips: a NaN is not greater than the limit, an infinity is cut to it. */
API float clipped_norm(const float *x, int n, float limit)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    float norm = sqrtf(sum);
    return norm < limit ? norm : limit;
}

/* A guard that a NaN slips past: what follows ignores it. */
API int guarded(double x, double limit, double *y)
{
    if (x > limit)
        return 1;
    *y = x < 0 ? -1.0 : 1.0;
    return 0;
}

static int reports;

API void trouble(const char *where)
{
    (void)where;
    reports++;
}

/* Reports by an error routine. */
API void scaled(double *x, int n, double factor)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i] * factor)) {
            trouble("scaled");
            x[i] = 0;
        } else {
            x[i] *= factor;
        }
    }
}

/* Reports by info. */
API void inverted(const double *x, double *y, int n, int *info)
{
    *info = 0;
    for (int i = 0; i < n; i++) {
        y[i] = 1 / x[i];
        if (!isfinite(x[i]) || !isfinite(y[i])) {
            *info = i + 1;
            y[i] = 0;
        }
    }
}

/* Right: everything reaches the result. */
API float dot(const float *x, const float *y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Right: an infinity has a limit, a NaN propagates. */
API double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* Halves until it is small: forever, for an infinity. */
API int halvings(double x, double *left)
{
    int n = 0;
    while (x > 1) {
        x /= 2;
        n++;
    }
    *left = x;
    return n;
}

int main(void)
{
    double x[] = { 1, 3, 2, -4 }, y[4], z;
    float f[] = { 1, 2, 3, 4 }, g[] = { 5, 6, 7, 8 };
    int info;
    volatile double sink = max_pool(x, 4) + clipped_norm(f, 4, 1000) + dot(f, g, 4);
    sink += guarded(2, 10, &z) + logistic(0.5);
    scaled(x, 4, 2);
    inverted(x, y, 4, &info);
    sink += halvings(100, &z);
    (void)sink;
    return 0;
}
