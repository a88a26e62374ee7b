/* Functions whose answers are known. The line above each says what it is:
 *   right         every exception reaches an output or is reported
 *   guarded       the same, by comparisons that -ffast-math takes away
 *   told          right, but only a written prototype can say how it reports
 *   overflows     right for NaN and infinities; an intermediate result of finite inputs may overflow unseen
 *   loses NAMES   an exception in one of these parameters must be found
 *   misses NAMES  the same, unless -ffast-math takes the test for NaN away */
#include "answers.h"
#include <assert.h>
#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define API __attribute__((noinline, visibility("default")))
#else
#define API __attribute__((noipa, visibility("default")))
#endif

/* right */
API double kahan_sum(const double *x, int n)
{
    double sum = 0, c = 0;
    for (int i = 0; i < n; i++) {
        double y = x[i] - c, t = sum + y;
        c = (t - sum) - y;
        sum = t;
    }
    return sum;
}

/* right */
API double horner(const double *c, int n, double x)
{
    double y = 0;
    for (int i = n - 1; i >= 0; i--)
        y = y * x + c[i];
    return y;
}

/* right */
API double scaled_norm(const double *x, int n)
{
    double scale = 0, sum = 0;
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) > scale)
            scale = fabs(x[i]);
    for (int i = 0; i < n; i++)
        sum += (x[i] / scale) * (x[i] / scale);
    return scale * sqrt(sum);
}

/* guarded */
API int checked_sqrt(double x, double *root)
{
    if (!(x >= 0 && x <= DBL_MAX)) {
        *root = 0;
        return -1;
    }
    *root = sqrt(x);
    return 0;
}

/* guarded */
API double quotient_errno(double a, double b)
{
    double q = a / b;
    if (!(fabs(q) <= DBL_MAX)) {
        errno = EDOM;
        return 0;
    }
    return q;
}

/* right */
API double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* right */
API void welford(const double *x, int n, double *mean, double *variance)
{
    double m = 0, s = 0;
    for (int i = 0; i < n; i++) {
        double d = x[i] - m;
        m += d / (i + 1);
        s += d * (x[i] - m);
    }
    *mean = m;
    *variance = s / (n - 1);
}

/* guarded */
API double clamped_all(double x, double low, double high)
{
    double none = (low - low) + (high - high);
    return (x < low ? low : x > high ? high : x) + none;
}

/* guarded */
API double larger_or_nan(double a, double b)
{
    if (isnan(a) || isnan(b))
        return a + b;
    return a > b ? a : b;
}

/* guarded */
API void inverted_ok(double x, double *y, int *ok)
{
    double inverse = 1 / x;
    *ok = fabs(inverse) <= DBL_MAX && fabs(x) <= DBL_MAX;
    *y = *ok ? inverse : 0;
}

/* guarded */
API void fixed_point(double a, double *x, int *steps)
{
    double y = 1;
    for (int i = 1; i < 200; i++) {
        double next = 0.5 * (y + a / y);
        if (fabs(next - y) <= 1e-12 * fabs(next)) {
            *x = next;
            *steps = i;
            return;
        }
        y = next;
    }
    *x = 0;
    *steps = -1;
}

int last_error;

/* guarded */
API double logged(double x)
{
    last_error = 0;
    if (!(x > 0 && x <= DBL_MAX)) {
        last_error = 2;
        return 0;
    }
    return log(x);
}

API void complain(const char *what)
{
    static int complaints;
    complaints++;
    (void)what;
}

/* told */
API double checked_log(double x)
{
    if (!(x > 0 && x <= DBL_MAX)) {
        complain("no logarithm");
        return 0;
    }
    return log(x);
}

/* guarded */
API void polar(double x, double y, double *r, double *status)
{
    double length = sqrt(x * x + y * y);
    *status = length <= DBL_MAX ? 0 : 1;
    *r = length <= DBL_MAX ? length : 0;
}

/* told */
API double distance_or_minus(const double *p, const double *q, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (p[i] - q[i]) * (p[i] - q[i]);
    return sum <= DBL_MAX ? sqrt(sum) : -1;
}

/* guarded */
API double asserted(double x)
{
    assert(fabs(x) <= DBL_MAX);
    return x > 1 ? 1 : x;
}

/* guarded */
API double exits(double x)
{
    if (!(fabs(x) <= DBL_MAX)) {
        fprintf(stderr, "exits: no number\n");
        exit(3);
    }
    return x > 1 ? 1 : x;
}

static jmp_buf back;

/* guarded */
API double jumps(double x)
{
    if (!(fabs(x) <= DBL_MAX))
        longjmp(back, 1);
    return x > 1 ? 1 : x;
}

/* guarded */
API double aborts(double x)
{
    if (!(fabs(x) <= DBL_MAX))
        abort();
    return x > 1 ? 1 : x;
}

/* right */
API void product_mv(const double *a, const double *x, double *y, int m, int n)
{
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

/* overflows: an element that is eliminated */
API int solve3(const double *a, const double *b, double *x)
{
    double m[3][4];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[i][j] = a[3 * i + j];
        m[i][3] = b[i];
    }
    for (int k = 0; k < 3; k++) {
        int p = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(m[i][k]) > fabs(m[p][k]))
                p = i;
        if (m[p][k] == 0)
            return k + 1;
        for (int j = 0; j < 4; j++) {
            double t = m[k][j];
            m[k][j] = m[p][j];
            m[p][j] = t;
        }
        for (int i = k + 1; i < 3; i++) {
            double f = m[i][k] / m[k][k];
            for (int j = k; j < 4; j++)
                m[i][j] -= f * m[k][j];
        }
    }
    for (int k = 2; k >= 0; k--) {
        x[k] = m[k][3];
        for (int j = k + 1; j < 3; j++)
            x[k] -= m[k][j] * x[j];
        x[k] /= m[k][k];
    }
    return 0;
}

/* guarded */
API void cholesky2(double *a, int *info)
{
    *info = 1;
    if (!(a[0] > 0))
        return;
    a[0] = sqrt(a[0]);
    a[1] /= a[0];
    a[2] -= a[1] * a[1];
    *info = 2;
    if (!(a[2] > 0))
        return;
    a[2] = sqrt(a[2]);
    *info = 0;
}

/* overflows: a difference */
API double interpolated(const double *xs, const double *ys, int n, double x)
{
    if (!(x >= xs[0] && x <= xs[n - 1]))
        return NAN;
    int k = 0;
    while (k + 2 < n && x > xs[k + 1])
        k++;
    return ys[k] + (ys[k + 1] - ys[k]) * ((x - xs[k]) / (xs[k + 1] - xs[k]));
}

/* right */
API void filtered(const float *h, int taps, const float *x, float *y, int n)
{
    for (int i = taps - 1; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < taps; k++)
            sum += h[k] * x[i - k];
        y[i - taps + 1] = sum;
    }
}

/* guarded */
API int quadratic(double a, double b, double c, double *roots)
{
    double d = b * b - 4 * a * c;
    if (!(d >= 0))
        return 0;
    roots[0] = (-b - sqrt(d)) / (2 * a);
    roots[1] = (-b + sqrt(d)) / (2 * a);
    return 2;
}

/* right */
API float running_product(float *x, int n)
{
    for (int i = 1; i < n; i++)
        x[i] *= x[i - 1];
    return x[n - 1];
}

/* overflows: a square */
API double _Complex ratio(double _Complex a, double _Complex b)
{
    double d = creal(b) * creal(b) + cimag(b) * cimag(b);
    double re = (creal(a) * creal(b) + cimag(a) * cimag(b)) / d;
    double im = (cimag(a) * creal(b) - creal(a) * cimag(b)) / d;
    return __builtin_complex(re, im);
}

/* right */
API long double _Complex long_product(long double _Complex a, long double _Complex b)
{
    long double re = creall(a) * creall(b);
    long double im = cimagl(a) * cimagl(b);
    return __builtin_complex(re, im);
}

/* right */
API void softmax_of(float *x, int n)
{
    float largest = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > largest)
            largest = x[i];
    for (int i = 0; i < n; i++)
        sum += x[i] = expf(x[i] - largest);
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

/* guarded */
API double largest_checked(const double *x, int n)
{
    int bad = 0;
    double best = x[0];
    for (int i = 0; i < n; i++) {
        bad |= isnan(x[i]);
        if (x[i] > best)
            best = x[i];
    }
    return bad ? NAN : best;
}

/* guarded */
API int normalised(double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    if (!(sum > 0 && sum <= DBL_MAX))
        return -1;
    for (int i = 0; i < n; i++)
        x[i] /= sqrt(sum);
    return 0;
}

/* right */
API double angle(double y, double x)
{
    return atan2(y, x);
}

/* right */
API double mixed(const double *table, int kind, double x)
{
    return kind == 0 ? table[0] * x : kind == 1 ? table[1] + x : x;
}

/* right */
API long double long_mean(const long double *x, int n)
{
    long double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* guarded */
API void told(double x, double *y)
{
    if (!(fabs(x) <= DBL_MAX)) {
        fprintf(stderr, "told: x is no number\n");
        *y = 0;
        return;
    }
    *y = 2 * x;
}

/* loses x */
API float relu(float x)
{
    return x > 0 ? x : 0;
}

/* loses x */
API double smallest_of(const double *x, int n)
{
    double best = DBL_MAX;
    for (int i = 0; i < n; i++)
        if (x[i] < best)
            best = x[i];
    return best;
}

/* loses x */
API double clip01(double x)
{
    return fmin(1, fmax(0, x));
}

/* loses x limit */
API double count_above(const double *x, int n, double limit)
{
    double count = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > limit)
            count += 1;
    return count;
}

/* loses error tolerance */
API double next_step(double h, double error, double tolerance)
{
    return h * fmin(5, fmax(0.2, 0.9 * sqrt(tolerance / error)));
}

/* loses x eps */
API void thresholded(double *x, int n, double eps)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) > eps))
            x[i] = 0;
}

/* loses a tolerance */
API double iterated(double a, double tolerance)
{
    double x = 1, change = 1;
    for (int i = 0; i < 50 && change > tolerance; i++) {
        double next = cos(a * x);
        change = fabs(next - x);
        if (change > 0)
            x = next;
    }
    return x;
}

/* loses x */
API float norm_inf(const float *x, int n)
{
    float most = 0;
    for (int i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    return most;
}

/* loses x xs */
API double looked_up_in(const double *xs, const double *ys, int n, double x)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (xs[middle] > x)
            high = middle;
        else
            low = middle;
    }
    return ys[low];
}

/* loses x */
API double truncated(double x)
{
    return (double)(long)(x * 100) / 100;
}

/* guarded: no column is all 0 */
API void skipping_mv(const double *a, const double *x, double *y, int m, int n)
{
    for (int i = 0; i < m; i++)
        y[i] = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            if (a[i * n + j] != 0)
                y[i] += a[i * n + j] * x[j];
}

/* misses x */
API double mean_of_numbers(const double *x, int n)
{
    double sum = 0, count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(x[i])) {
            sum += x[i];
            count += 1;
        }
    return sum / count;
}

/* loses x */
API double heaviside(double x)
{
    return x >= 0 ? 1 : 0;
}

/* loses x */
API double reduced(double x)
{
    while (x > 3.141592653589793)
        x -= 6.283185307179586;
    return x;
}

static double entries[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

/* loses x */
API double table_entry(double x)
{
    return entries[(int)x];
}

/* loses b */
API double safe_quotient(double a, double b)
{
    return fabs(b) > 1e-300 ? a / b : 0;
}

/* loses a b c */
API double middle_of(double a, double b, double c)
{
    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

/* loses a */
API void column_minima(const float *a, int m, int n, float *least)
{
    for (int j = 0; j < n; j++) {
        float best = FLT_MAX;
        for (int i = 0; i < m; i++)
            if (a[i * n + j] < best)
                best = a[i * n + j];
        least[j] = best;
    }
}

/* loses x */
API double trimmed_mean(const double *x, int n)
{
    double s[16], sum = 0;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && s[k - 1] > x[i]; k--)
            s[k] = s[k - 1];
        s[k] = x[i];
    }
    for (int i = 1; i < n - 1; i++)
        sum += s[i];
    return sum / (n - 2);
}

/* loses x */
API double cosine_of(double x, double y)
{
    return x / sqrt(x * x + y * y);
}

/* loses x */
API double variance_of(const double *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    double v = squares / n - (sum / n) * (sum / n);
    return v > 0 ? v : 0;
}

/* loses p */
API double entropy(const double *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (p[i] > 0)
            sum -= p[i] * log(p[i]);
    return sum;
}

/* loses rgb */
API float gray(const float *rgb)
{
    int r = (int)rgb[0], g = (int)rgb[1], b = (int)rgb[2];
    r = r < 0 ? 0 : r > 255 ? 255 : r;
    g = g < 0 ? 0 : g > 255 ? 255 : g;
    b = b < 0 ? 0 : b > 255 ? 255 : b;
    return (r + g + b) / 3.0f;
}

/* loses x */
API double geometric_mean(const double *x, int n)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0) {
            sum += log(x[i]);
            count++;
        }
    return exp(sum / count);
}

/* loses a */
API double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* loses x */
API double unit_sign(double x)
{
    return copysign(1, x);
}

/* loses a b */
API int accepted(const double *a, const double *b, double *x)
{
    double r = (b[0] - a[0] * x[0]) / a[0];
    if (fabs(r) > 1e-3)
        return 1;
    x[1] = fmin(fmax(x[0] + r, -10), 10);
    return 0;
}

/* loses x */
API double flagged_only(double x)
{
    if (!(fabs(x) <= 1e300)) {
        feraiseexcept(FE_INVALID);
        return 0;
    }
    return x;
}

/* loses a b */
API long double _Complex long_larger(long double _Complex a, long double _Complex b)
{
    return __builtin_complex(1.0L, cimagl(a) > cimagl(b) ? cimagl(a) : cimagl(b));
}

/* loses x */
API float peak(const float *x, int n, float *place)
{
    float best = -FLT_MAX;
    *place = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            *place = (float)i;
        }
    return best;
}

/* loses x */
API double saved_last(const double *x, int n)
{
    double last = 0;
    for (int i = 0; i < n; i++)
        if (x[i] >= last)
            last = x[i];
    return last;
}

int main(void)
{
    double x[] = { 1, 3, 2, 4, 0.5, 7 }, y[8], w, v;
    float f[] = { 3, 1, 2, 5, 4, 1.5f }, g[8], at;
    long double l[] = { 1, 2, 4 };
    int k;
    volatile double sink = kahan_sum(x, 6) + horner(x, 4, 1.5) + scaled_norm(x, 6);
    sink += checked_sqrt(2, &w) + quotient_errno(1, 3) + softplus(0.7) + softplus(-0.7);
    welford(x, 6, &w, &v);
    sink += clamped_all(0.5, 0, 1) + larger_or_nan(1, 2);
    inverted_ok(4, &w, &k);
    fixed_point(2, &w, &k);
    sink += logged(2) + checked_log(2) + distance_or_minus(x, x + 2, 3);
    polar(3, 4, &w, &v);
    sink += asserted(0.5) + exits(0.5) + aborts(0.5);
    if (!setjmp(back))
        sink += jumps(0.5);
    double a[] = { 4, 1, 2, 1, 5, 0, 2, 1, 6 }, b[] = { 1, 2, 3 };
    product_mv(a, b, y, 3, 3);
    sink += solve3(a, b, y) + y[0];
    double c[] = { 4, 2, 5 };
    cholesky2(c, &k);
    double xs[] = { 0, 1, 2, 3, 4 }, ys[] = { 1, 3, 2, 5, 4 };
    sink += interpolated(xs, ys, 5, 1.5);
    filtered(f, 2, f, g, 6);
    sink += quadratic(1, -3, 2, y);
    float p[] = { 1, 2, 1.5f };
    sink += running_product(p, 3);
    sink += creal(ratio(1 + 2 * I, 3 - I)) + (double)creall(long_product(1 + 2 * I, 3 - I));
    float s[] = { 1, 2, 0.5f };
    softmax_of(s, 3);
    sink += largest_checked(x, 6);
    double u[] = { 3, 4 };
    sink += normalised(u, 2) + angle(1, 2) + mixed(xs, 0, 2) + mixed(xs, 1, 2) + (double)long_mean(l, 3);
    told(2, &w);
    sink += relu(2) + smallest_of(x, 6) + clip01(0.5) + count_above(x, 6, 1.5) + next_step(0.1, 1e-6, 2e-6);
    double t[] = { 1, 1e-20, 3 };
    thresholded(t, 3, 1e-10);
    sink += iterated(0.9, 1e-6) + norm_inf(f, 6) + looked_up_in(xs, ys, 5, 2.5) + truncated(1.239);
    skipping_mv(a, b, y, 3, 3);
    sink += mean_of_numbers(x, 6) + heaviside(-1) + reduced(7) + table_entry(3.5) + safe_quotient(1, 3);
    sink += middle_of(1, 2, 3) + middle_of(3, 1, 2);
    column_minima(f, 3, 2, g);
    sink += trimmed_mean(x, 6) + cosine_of(3, 4) + variance_of(x, 6);
    double q[] = { 0.5, 0.25, 0.25 };
    float rgb[] = { 10, 20, 30 };
    sink += entropy(q, 3) + gray(rgb) + geometric_mean(x, 6) + lesser(1, 2) + unit_sign(-3);
    double start[] = { 0.5, 0 }, one[] = { 2 }, two[] = { 1.0001 };
    sink += accepted(one, two, start) + flagged_only(2);
    sink += (double)cimagl(long_larger(1 + 2 * I, 3 + 4 * I)) + peak(f, 6, &at) + saved_last(x, 6);
    return sink + w + v + y[0] + g[0] + at + k + s[0] + t[0] + c[0] < -1e30;
}
