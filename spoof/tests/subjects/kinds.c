/* Functions whose handling of exceptions is known: by how libraries really lose one, and right ones beside
 * them. tests/kinds.rs says what must be found. */
#include <complex.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#ifdef __clang__
#define API __attribute__((noinline, visibility("default")))
#else
#define API __attribute__((noipa, visibility("default")))
#endif

/* What is compared with NaN is kept, and overwritten by the next: lost unless last. */
API float smallest(const float *x, int n)
{
    float best = x[0];
    for (int i = 1; i < n; i++)
        best = best < x[i] ? best : x[i];
    return best;
}

/* Right: a NaN is kept. An infinity has a limit. */
API double smallest_or_nan(const double *x, int n)
{
    double best = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] < best || x[i] != x[i])
            best = x[i];
        else if (best != best)
            break;
    return best;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* A NaN is equal to all others: it stays where it is, mostly beside the middle. */
API double median(const double *x, int n)
{
    double sorted[16];
    for (int i = 0; i < n; i++)
        sorted[i] = x[i];
    qsort(sorted, n, sizeof *sorted, ascending);
    return sorted[n / 2];
}

/* Right: the sum of what is sorted is NaN. */
API double sorted_sum(const double *x, int n)
{
    double sorted[16], sum = 0;
    for (int i = 0; i < n; i++)
        sorted[i] = x[i];
    qsort(sorted, n, sizeof *sorted, ascending);
    for (int i = 0; i < n; i++)
        sum += sorted[i];
    return sum;
}

/* No step is larger than the tolerance if it is NaN: what was there before is returned. */
API double newton_root(double a)
{
    double x = 1;
    for (int i = 0; i < 60; i++) {
        double next = 0.5 * (x + a / x);
        if (!(fabs(next - x) > 1e-14 * fabs(x)))
            break;
        x = next;
    }
    return x;
}

/* Right: says that it did not converge, and a NaN does not. */
API int newton_checked(double a, double *root)
{
    double x = 1;
    for (int i = 0; i < 100; i++) {
        double next = 0.5 * (x + a / x);
        if (fabs(next - x) <= 1e-12 * fabs(x)) {
            *root = next;
            return 0;
        }
        x = next;
    }
    *root = 0;
    return 1;
}

/* A NaN converts to the smallest integer, and that is cut to 0. So do numbers that are too large. */
API double looked_up(const double *table, int n, double x)
{
    int i = (int)(x * 4);
    if (i < 0)
        i = 0;
    if (i >= n)
        i = n - 1;
    return table[i];
}

/* Right: what is outside is NaN, and a NaN is outside. */
API double looked_up_checked(const double *table, int n, double x)
{
    double at = x * 4;
    if (!(at >= 0 && at < n))
        return NAN;
    return table[(int)at] + (at - (int)at);
}

double steps[1 << 4] = { 1, 2, 3, 4, 5, 6, 7, 8 };

/* The index is not checked: a NaN reads far outside. */
API double step_at(double x)
{
    return steps[(int)x];
}

/* A NaN has no sign. */
API double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

/* A NaN is in no bin. An infinity is in none either, as any large number. */
API void histogram(const double *x, int n, double *bins, int m)
{
    for (int i = 0; i < m; i++)
        bins[i] = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            if (x[i] >= k && x[i] < k + 1)
                bins[k] += 1;
}

/* A NaN norm is not positive; squares overflow to an infinity, by which all becomes 0. */
API void unit_vector(double *x)
{
    double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; i++)
        x[i] = norm > 0 ? x[i] / norm : 0;
}

/* What is meant for a variance that rounding made negative hides NaN and infinity. */
API double deviation(const double *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return squares > 0 ? sqrt(squares / (n - 1)) : 0;
}

/* fmin and fmax prefer the number: two vectors with a NaN are alike. */
API double similarity(const double *x, const double *y, int n)
{
    double xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    return fmax(-1, fmin(1, xy / sqrt(xx * yy)));
}

/* Right: far away is weight 0, and where the square overflows it is as good as 0. */
API double weighted(const double *d, const double *v, int n)
{
    double sum = 0, weights = 0;
    for (int i = 0; i < n; i++) {
        double w = 1 / (1 + d[i] * d[i]);
        sum += w * v[i];
        weights += w;
    }
    return sum / weights;
}

/* Right: log of the sum of exponentials. */
API double log_sum_exp(const double *x, int n)
{
    double largest = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > largest)
            largest = x[i];
    for (int i = 0; i < n; i++)
        sum += exp(x[i] - largest);
    return largest + log(sum);
}

/* Right: Gaussian elimination with pivots that says by info if there is none. */
API void solve2(const double *a, const double *b, double *x, int *info)
{
    int p = fabs(a[2]) > fabs(a[0]) ? 2 : 0, q = 2 - p;
    *info = 0;
    if (a[p] == 0) {
        *info = 1;
        return;
    }
    double f = a[q] / a[p], d = a[q + 1] - f * a[p + 1];
    if (d == 0) {
        *info = 2;
        return;
    }
    x[1] = (b[q / 2] - f * b[p / 2]) / d;
    x[0] = (b[p / 2] - a[p + 1] * x[1]) / a[p];
}

/* A pivot is made at least so large: a NaN is not, so that one on the diagonal is gone. */
API void forced_pivots(const double *d, const double *b, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = b[i] / (d[i] > 1e-8 ? d[i] : 1e-8);
}

/* Right: tells by errno, and gives the greatest number. */
API double bounded_exp(double x)
{
    double y = exp(x);
    if (!(y <= DBL_MAX)) {
        errno = ERANGE;
        return DBL_MAX;
    }
    return y;
}

/* Right: a flag of -1, with zeros. */
API void rotation_or_flag(const double *ab, double *cs, double *flag)
{
    double r = hypot(ab[0], ab[1]);
    if (!(r > 0 && r <= DBL_MAX)) {
        *flag = -1;
        cs[0] = cs[1] = 0;
        return;
    }
    *flag = 1;
    cs[0] = ab[0] / r;
    cs[1] = ab[1] / r;
}

/* Right: the interface says that nothing is read if the factor is 0. */
API void scale_or_clear(double factor, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = factor == 0 ? 0 : factor * x[i];
}

/* The step that a controller takes: its limits hold for a NaN too. */
API float limited_step(float *state, float error, float gain, float most)
{
    state[0] += error;
    float wanted = gain * error + 0.5f * state[0] + 0.25f * (error - state[1]);
    state[0] = fminf(fmaxf(state[0], -most), most);
    state[1] = error < most ? error : most;
    return fminf(fmaxf(wanted, -most), most);
}

/* In long double: a bound that is NaN is no bound. */
API long double bounded_long(long double x, long double most)
{
    if (x > most)
        return most;
    return x;
}

/* Right: in long double. */
API long double horner_long(const long double *c, int n, long double x)
{
    long double y = 0;
    for (int i = n - 1; i >= 0; i--)
        y = y * x + c[i];
    return y;
}

/* The largest modulus of complex numbers: a NaN in any part is not larger. */
API float largest_modulus(const float complex *z, int n)
{
    float best = 0;
    for (int i = 0; i < n; i++) {
        float r = crealf(z[i]), s = cimagf(z[i]), m = sqrtf(r * r + s * s);
        if (m > best)
            best = m;
    }
    return best;
}

/* Right: a product of complex numbers, in two registers. */
API double complex product(double complex a, double complex b)
{
    double re = creal(a) * creal(b) - cimag(a) * cimag(b);
    double im = creal(a) * cimag(b) + cimag(a) * creal(b);
    return __builtin_complex(re, im);
}

struct point { double x, y; };
struct box { float x, y, z; };
struct segment { double a, b, c; };

/* Structures by value: in two registers, in a register and a half, in memory. */
API double farther(struct point p, struct point q)
{
    double a = p.x * p.x + p.y * p.y, b = q.x * q.x + q.y * q.y;
    return a > b ? a : b;
}

/* Right. */
API float volume(struct box b, float scale)
{
    return b.x * b.y * b.z * scale;
}

/* The middle one is lost where it is NaN. */
API double longest_side(int kind, struct segment s, double scale)
{
    double best = s.a;
    if (s.b > best)
        best = s.b;
    return kind ? best * scale + s.c : best;
}

/* The quantised numbers cannot tell, and their scale does not. */
API void quantise(const float *x, signed char *q, int n, float *scale)
{
    float largest = 0;
    for (int i = 0; i < n; i++)
        if (fabsf(x[i]) > largest)
            largest = fabsf(x[i]);
    *scale = largest / 127;
    for (int i = 0; i < n; i++)
        q[i] = *scale > 0 ? (signed char)(int)(x[i] / *scale) : 0;
}

/* Without pivots: right for NaN and infinity, wrong for finite numbers whose product overflows. */
API void tridiagonal(const double *l, const double *d, const double *u, double *x, int n)
{
    double c[8];
    c[0] = u[0] / d[0];
    x[0] /= d[0];
    for (int i = 1; i < n; i++) {
        double m = d[i] - l[i - 1] * c[i - 1];
        if (i + 1 < n)
            c[i] = u[i] / m;
        x[i] = (x[i] - l[i - 1] * x[i - 1]) / m;
    }
    for (int i = n - 2; i >= 0; i--)
        x[i] -= c[i] * x[i + 1];
}

/* Fixed steps of bisection: with NaN all go one way. */
API double bisected(double a, double b)
{
    double low = 0, high = 8;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        if (a * middle * middle - b > 0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Leaves at the first that is as large: a NaN before it is passed over. */
API double first_above(const double *x, int n, double limit)
{
    for (int i = 0; i < n; i++)
        if (x[i] >= limit)
            return x[i];
    return limit;
}

/* Right: a mean that is updated. */
API void update_mean(double *mean, double *count, double x)
{
    *count += 1;
    *mean += (x - *mean) / *count;
}

/* Right: of a resistance of 0 the reciprocal is infinite, and 0 comes out. */
API double parallel(double a, double b)
{
    return 1 / (1 / a + 1 / b);
}

/* A retry loop that gives up and says nothing. */
API double retried(double x, double tolerance)
{
    double y = 1;
    for (int attempt = 0; attempt < 5; attempt++) {
        double residual = x * y - 1;
        if (fabs(residual) < tolerance)
            return y;
        if (residual > 0)
            y *= 0.5;
        else if (residual < 0)
            y *= 1.5;
    }
    return y;
}

int main(void)
{
    double x[] = { 1, 3, 2, -4, 5, 0.5, 7 }, y[] = { 2, 1, 4, 3, 1, 2, 6 }, z[8], w;
    float f[16];
    signed char q[16];
    long double c[] = { 1, 2, 3 };
    float complex u[] = { 1 + 2 * I, 3 - 1 * I, 0.5f * I };
    int info;
    errno = ENOTTY; /* as the first use of a stream may leave it: what was there before a call is no report */
    for (int i = 0; i < 16; i++)
        f[i] = 8.5f - i;
    volatile double sink = smallest(f, 16) + smallest_or_nan(x, 7) + median(x, 7) + sorted_sum(x, 7);
    sink += newton_root(2) + newton_checked(2, &w) + looked_up(x, 7, 0.8);
    sink += looked_up_checked(x, 7, 0.8) + step_at(3.5) + sign_of(-2);
    histogram(x, 7, z, 8);
    double v[] = { 3, 4, 12 }, a[] = { 2, 1, 1, 3 };
    unit_vector(v);
    sink += deviation(x, 7) + similarity(x, y, 7) + weighted(y, x, 7) + log_sum_exp(x, 7);
    solve2(a, y, z, &info);
    forced_pivots(y, x, z, 7);
    sink += bounded_exp(2);
    double ab[] = { 3, 4 }, cs[2];
    rotation_or_flag(ab, cs, &w);
    scale_or_clear(2, z, 7);
    scale_or_clear(0, z, 7);
    float state[] = { 0.1f, 0.2f };
    sink += limited_step(state, 0.5f, 1.5f, 10);
    sink += bounded_long(2, 3) + horner_long(c, 3, 2) + largest_modulus(u, 3);
    sink += creal(product(1 + 2 * I, 3 - 1 * I));
    struct point p = { 1, 2 }, r = { 2, 3 };
    struct box b = { 1, 2, 3 };
    struct segment s = { 3, 1, 2 };
    sink += farther(p, r) + volume(b, 2) + longest_side(1, s, 2);
    float step;
    quantise(f, q, 16, &step);
    double l[] = { 1, 1, 1 }, up[] = { 1, 2, 1 }, d[] = { 4, 5, 6, 7 }, t[] = { 1, 2, 3, 4 };
    tridiagonal(l, d, up, t, 4);
    sink += bisected(2, 7) + first_above(x, 7, 2.5) + parallel(2, 3) + retried(1.4, 0.1);
    double mean = 2, count = 4;
    update_mean(&mean, &count, 3);
    return sink + v[0] + v[1] + v[2] + z[0] + t[0] + mean + step + q[3] + cs[0] < -1e30;
}
