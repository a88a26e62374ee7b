// Functions in C++ whose answers are known; the words above them are those of answers.c.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#ifdef __clang__
#define API __attribute__((noinline, visibility("default")))
#else
#define API __attribute__((noipa, visibility("default")))
#endif

enum class Status { good, bad };

struct Sum {
    double total = 0, compensation = 0;
    double add(double x);
};

struct Limiter {
    double last = 0, most = 10;
    double step(double x);
};

extern "C" {
// guarded
API double thrown(double x)
{
    if (!(std::fabs(x) <= DBL_MAX))
        throw std::domain_error("no number");
    return x > 1 ? 1 : x;
}

// guarded
API double caught(double x)
{
    try {
        if (!(std::fabs(x) <= DBL_MAX))
            throw 1;
        return x > 1 ? 1 : x;
    } catch (int) {
        return NAN;
    }
}

// guarded
API double terminated(double x) noexcept
{
    if (!(std::fabs(x) <= DBL_MAX))
        throw std::domain_error("no number");
    return x > 1 ? 1 : x;
}

// guarded
API bool try_sqrt(double x, double &root)
{
    root = 0;
    if (!(x >= 0 && x <= DBL_MAX))
        return false;
    root = std::sqrt(x);
    return true;
}

// guarded
API Status try_inverse(double x, double *y)
{
    double inverse = 1 / x;
    *y = 0;
    if (!(std::fabs(inverse) <= DBL_MAX && std::fabs(x) <= DBL_MAX))
        return Status::bad;
    *y = inverse;
    return Status::good;
}

// right
API double inner(const double *x, const double *y, int n)
{
    return std::inner_product(x, x + n, y, 0.0);
}

// right
API double sum_of_sorted(const double *x, int n)
{
    std::vector<double> sorted(x, x + n);
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && sorted[k] < sorted[k - 1]; k--)
            std::swap(sorted[k], sorted[k - 1]);
    return std::accumulate(sorted.begin(), sorted.end(), 0.0);
}

// loses x
API double positive(double x)
{
    return std::max(0.0, x);
}

// loses x
API double least_element(const double *x, int n)
{
    return *std::min_element(x, x + n);
}

// loses low high
API double clamped(double x, double low, double high)
{
    return std::clamp(x, low, high);
}

// loses x
API double folded_max(const double *x, int n)
{
    return std::accumulate(x, x + n, 0.0, [](double a, double b) { return b > a ? b : a; });
}

// loses x
API double swallowed(double x)
{
    try {
        if (!(std::fabs(x) <= 1e300))
            throw std::domain_error("no number");
        return x;
    } catch (const std::exception &) {
        return 0;
    }
}

// loses x
API double rounded(double x)
{
    return std::lround(x * 100) / 100.0;
}

// loses x
API double share_above(const double *x, int n, double limit)
{
    return double(std::count_if(x, x + n, [=](double v) { return v > limit; })) / n;
}

// loses x
API double upper_bound_of(const double *x, int n, double value)
{
    return double(std::upper_bound(x, x + n, value) - x);
}
}

// right
API double Sum::add(double x)
{
    double y = x - compensation, t = total + y;
    compensation = (t - total) - y;
    total = t;
    return total;
}

// loses x this
API double Limiter::step(double x)
{
    double wanted = last + 0.5 * (x - last);
    last = std::fmin(std::fmax(wanted, -most), most);
    return last;
}

// right
API std::complex<double> turned(const std::complex<double> &a, const std::complex<double> &b)
{
    return { a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real() };
}

// guarded
API std::optional<double> maybe_log(double x)
{
    if (!(x > 0 && x <= DBL_MAX))
        return std::nullopt;
    return std::log(x);
}

// guarded
API std::pair<double, bool> paired_log(double x)
{
    if (!(x > 0 && x <= DBL_MAX))
        return { 0, false };
    return { std::log(x), true };
}

// right
API double total(const std::vector<double> &x)
{
    double sum = 0;
    for (double v : x)
        sum += v;
    return sum;
}

// loses x
API double overloaded(double x, int)
{
    return x < 0 ? -x : x > 0 ? x : 0;
}

// right
API double overloaded(double x, double y)
{
    return x * y;
}

int main()
{
    double x[] = { 1, 3, 2, 4, 0.5, 7 }, y[] = { 2, 1, 4, 3, 1, 2 }, s[] = { 1, 2, 3, 4 }, r, q;
    volatile double sink = 0;
    try {
        sink = thrown(0.5);
    } catch (const std::exception &) {
    }
    sink += caught(0.5) + terminated(0.5) + try_sqrt(2, r) + double(try_inverse(3, &q));
    sink += inner(x, y, 6) + sum_of_sorted(x, 6) + positive(0.5) + least_element(x, 6);
    sink += clamped(0.5, 0, 1) + folded_max(x, 6) + swallowed(2) + rounded(1.234);
    sink += share_above(x, 6, 1.5) + upper_bound_of(s, 4, 2.5);
    Sum sum;
    Limiter limiter;
    sink += sum.add(1) + sum.add(2) + limiter.step(3) + limiter.step(4);
    sink += turned({ 1, 2 }, { 3, -1 }).real() + *maybe_log(2) + paired_log(2).first;
    sink += total({ 1, 2, 3 }) + overloaded(2.0, 1) + overloaded(2.0, 3.0);
    return sink + r + q < -1e30;
}
