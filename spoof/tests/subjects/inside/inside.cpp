// What lies inside of structures, and what comes back in them. The word above a function is its answer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>
#include <system_error>
#include <vector>

#define API __attribute__((noinline, visibility("default")))

struct Matrix {
    int rows, columns;
    double *data;
};

// loses: a row's sum that is no number is not greater
API double row_norm(const Matrix *m)
{
    double best = 0;
    for (int i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int j = 0; j < m->columns; j++)
            sum += std::fabs(m->data[i * m->columns + j]);
        if (sum > best)
            best = sum;
    }
    return best;
}

// right
API double trace_of(const Matrix *m)
{
    double sum = 0;
    for (int i = 0; i < m->rows; i++)
        sum += m->data[i * m->columns + i];
    return sum;
}

// loses
API double positive_sum(const std::vector<double> &v)
{
    double sum = 0;
    for (double x : v)
        if (x > 0)
            sum += x;
    return sum;
}

// right
API double sum_of(const std::vector<double> &v)
{
    double sum = 0;
    for (double x : v)
        sum += x;
    return sum;
}

struct Filter {
    int order;
    float gain;
    double taps[3];
    double kept[2];
};

// loses: what runs away is reset
API double filtered(Filter *f, double x)
{
    double y = f->taps[0] * x + f->taps[1] * f->kept[0] + f->taps[2] * f->kept[1];
    f->kept[1] = f->kept[0];
    f->kept[0] = y;
    if (!(std::fabs(y) < 1e6))
        y = f->kept[0] = 0;
    return f->gain * y;
}

// right: what comes in stays in the filter
API double remembered(Filter *f, double x)
{
    f->kept[1] = f->kept[0];
    f->kept[0] = x;
    return f->order;
}

struct Outcome {
    double value;
    int status, steps;
};

// right: the status tells
API Outcome root_with_status(double x)
{
    if (!(x >= 0) || std::isinf(x))
        return {0, 2, 0};
    return {std::sqrt(x), 0, 1};
}

// loses: the steps do not
API Outcome limited_with_status(double x)
{
    if (!(x < 10))
        return {10, 0, 2};
    return {x, 0, 2};
}

// right: nothing is given back
API std::optional<double> safe_root(double x)
{
    if (!(x >= 0) || std::isinf(x))
        return std::nullopt;
    return std::sqrt(x);
}

// loses
API std::optional<double> largest_of(const double *x, int n)
{
    if (n == 0)
        return std::nullopt;
    double best = x[0];
    for (int i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

// right: an error code by reference
API double checked_sum(const double *x, int n, std::error_code &code)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    code.clear();
    if (!std::isfinite(sum)) {
        code = std::make_error_code(std::errc::result_out_of_range);
        return 0;
    }
    return sum;
}

// right: the message is in the stream's buffer
API double told_by_stream(double x)
{
    if (!std::isfinite(x)) {
        std::cout << "no number\n";
        return 0;
    }
    return 2 * x;
}

// right: so is this one, beside what is printed anyway
API double told_by_stdio(double x)
{
    std::printf("%g: ", x);
    if (!(std::fabs(x) <= 1e308)) {
        std::printf("no number\n");
        return 0;
    }
    std::printf("fine\n");
    return 2 * x;
}

// loses: prints the same
API double printed_anyway(double x)
{
    double y = x > 0 ? x : 0;
    std::printf("clipped to %g\n", y);
    return y;
}

// right: where the result goes nobody said
API double through_opaque(const double *x, int n, void *to)
{
    double **rows = static_cast<double **>(to);
    for (int i = 0; i < n; i++)
        rows[0][i] = 2 * x[i];
    return n;
}

// right: of the memory that it takes, some is given back while a result is wrong
API double through_heap(const double *x, int n)
{
    double *copy = new double[n + 1];
    double sum = 0;
    for (int i = 0; i < n; i++)
        copy[i] = x[i] * 0.5;
    for (int i = 0; i < n; i++)
        sum += copy[i] * copy[i];
    sum = std::sqrt(sum);
    delete[] copy;
    return sum;
}

// loses: a zero in x hides what is in y
API double dot_skipping(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            sum += x[i] * y[i];
    return sum;
}

// A function with a frame: the caller's rbp comes back by `leave`.
__asm__(".text\n.globl framed\nframed:\n push %rbp\n mov %rsp, %rbp\n sub $16, %rsp\n leave\n ret\n");
extern "C" void framed();

// loses: gcc keeps x in rbp while the other runs
API double after_a_call(int n, const double *x)
{
    framed();
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            sum += x[i];
    return sum;
}

struct Particle {
    int id;
    double x, m;
};

struct Cloud {
    int n;
    Particle *all;
};

struct World {
    Cloud *cloud;
    double step;
};

// right: an array of structures, through two structures
API void advanced(World *w)
{
    for (int i = 0; i < w->cloud->n; i++)
        w->cloud->all[i].x += w->step * w->cloud->all[i].m;
}

// loses: a step that is no number is one
API void advanced_slowly(World *w)
{
    double step = w->step < 1 ? w->step : 1;
    for (int i = 0; i < w->cloud->n; i++)
        w->cloud->all[i].x += step * w->cloud->all[i].m;
}

// right: what it gives back to the heap is the heap's
API double last_use(double *x)
{
    double y = x[0] + x[1];
    delete[] x;
    return y;
}

int main()
{
    Particle all[] = {{1, 1, 2}, {2, 3, 4}};
    Cloud cloud{2, all};
    World world{&cloud, 0.5};
    advanced(&world);
    advanced_slowly(&world);
    double d[] = {1, 2, 3, 4}, x[] = {1, 0, 2}, y[] = {3, 4, 5}, out[3], *rows[] = {out};
    Matrix m{2, 2, d};
    Filter f{2, 1, {0.5, 0.2, 0.1}, {0, 0}};
    std::vector<double> v{1, 2, 3};
    std::error_code code;
    volatile double s = row_norm(&m) + trace_of(&m) + positive_sum(v) + sum_of(v);
    s = s + filtered(&f, 1) + filtered(&f, 2) + remembered(&f, 1);
    s = s + root_with_status(2).value + limited_with_status(2).value;
    s = s + *safe_root(2) + *largest_of(d, 4) + checked_sum(d, 4, code);
    s = s + told_by_stream(1) + told_by_stdio(1) + printed_anyway(1);
    s = s + after_a_call(4, d) + last_use(new double[2]{1, 2});
    s = s + through_opaque(x, 3, rows) + through_heap(d, 4) + dot_skipping(x, y, 3);
    return s < 0;
}
