/* Integers, messages and flags that have nothing to do with the exception, beside those that report it. The line above
 * each function says what it is, as in answers.c. */
#include <math.h>
#include <stdio.h>

#ifdef __clang__
#define API __attribute__((noinline, visibility("default")))
#else
#define API __attribute__((noipa, visibility("default")))
#endif

int comparisons, clamps, last_used, last_error, failures_seen;

/* loses x: the variable counts comparisons that hold */
API double largest_counted(const double *x, int n)
{
    double best = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            comparisons++;
        }
    return best;
}

/* loses x: the variable says where the largest was */
API double largest_remembered(const double *x, int n)
{
    double best = x[0];
    last_used = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            last_used = i;
        }
    return best;
}

/* loses a: what it returns counts steps */
API int root_steps(double a, double *root)
{
    double x = 1;
    int steps = 0;
    double before;
    do {
        before = x;
        if (a > 0)
            x = 0.5 * (x + a / x);
        steps++;
    } while (fabs(x - before) > 1e-9 * a && steps < 50);
    *root = x;
    return steps;
}

/* loses x: state is no status */
API double smoothed_state(double x, double *state)
{
    if (x > *state)
        *state += 0.5 * (x - *state);
    return *state > 4 ? 4 : *state;
}

/* loses x: statistic is no status */
API void signs(const double *x, int n, double *statistic)
{
    *statistic = 0;
    for (int i = 0; i < n; i++)
        *statistic += x[i] > 0 ? 0.75 : -0.25;
}

/* loses x: the error is an estimate */
API double estimated(const double *x, int n, double *error)
{
    double most = 0.125, sum = 0;
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) <= 100) {
            sum += x[i];
            most = fabs(x[i]) > most ? fabs(x[i]) : most;
        }
    *error = most * 1e-3;
    return sum;
}

/* loses x: the status is always 0 */
API int always_zero(const double *x, int n, double *least)
{
    *least = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] < *least)
            *least = x[i];
    return 0;
}

/* loses x: a line on every call tells nothing */
API double chatty(double x)
{
    fprintf(stderr, "chatty\n");
    return x > 0 ? x : 0;
}

/* loses x: the encoding changes with every value */
API void encoded_sign(double x, int *encoded, double *magnitude)
{
    *encoded = x < 0 ? 1 : x > 1 ? 7 : 3;
    *magnitude = x > 0 ? x : 0;
}

/* loses x: the state of a generator */
API double jittered(double x, int *state)
{
    *state = x > 1 ? *state * 5 + 1 : *state * 3 + 7;
    return (x > 0 ? 1 : 0) + *state % 8 * 0.125;
}

/* right: an error number in a variable */
API double checked_root(double x)
{
    last_error = 0;
    if (!(x >= 0) || isinf(x)) {
        last_error = 3;
        return 0;
    }
    return sqrt(x);
}

/* right: the variable counts failures */
API double counted_failure(double x)
{
    if (isnan(x) || isinf(x)) {
        failures_seen++;
        return 0;
    }
    return x * 0.5;
}

/* right: a status is returned */
API int status_of(double x, double *y)
{
    if (isnan(x) || isinf(x)) {
        *y = 0;
        return 2;
    }
    *y = x * 0.5;
    return 0;
}

/* right: a truth value is returned */
API int succeeded(double x, double *y)
{
    *y = 0;
    if (isnan(x) || isinf(x))
        return 0;
    *y = x * 0.5;
    return 1;
}

/* right: it returns how many it handled, or that it could not */
API int handled(const double *x, int n, double *y)
{
    for (int i = 0; i < n; i++)
        if (isnan(x[i]) || isinf(x[i]))
            return -1;
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 0.5;
    return n;
}

/* right: nothing handled is an answer */
API int roots_found(double b, double c, double *y)
{
    double d = 0.25 * b * b - c;
    if (!(d >= 0) || isinf(d) || isinf(b))
        return 0;
    y[0] = sqrt(d) - 0.5 * b;
    y[1] = -sqrt(d) - 0.5 * b;
    return 2;
}

/* right: a status by name */
API void by_name(double x, double *y, int *istat)
{
    *istat = 0;
    *y = x * 0.5;
    if (isnan(x) || isinf(x)) {
        *istat = 4;
        *y = 0;
    }
}

/* right: a flag that is a number, as the BLAS has them */
API void flag_number(double x, double *y, double *flag)
{
    *flag = 1;
    *y = x * 0.5;
    if (isnan(x) || isinf(x)) {
        *flag = -2;
        *y = 0;
    }
}

/* right: a message */
API double complains(double x)
{
    if (isnan(x) || isinf(x)) {
        fprintf(stderr, "complains: no number\n");
        return 0;
    }
    return x * 0.5;
}

int main(void)
{
    double x[] = { 3, 1, 4, 1.5, 9, 2.6 }, y[6] = { 0 }, z = 2, state = 1, flag = 0;
    int k = 5, status = 0;
    volatile double sink = largest_counted(x, 6) + largest_remembered(x, 6) + root_steps(2, &z);
    sink += smoothed_state(3, &state);
    signs(x, 6, &z);
    sink += estimated(x, 6, &z) + always_zero(x, 6, &z) + chatty(2);
    encoded_sign(0.5, &k, &z);
    sink += jittered(0.5, &k) + checked_root(2) + counted_failure(2) + status_of(2, &z) + succeeded(2, &z);
    sink += handled(x, 6, y) + roots_found(-3, 2, y);
    by_name(2, &z, &status);
    flag_number(2, &z, &flag);
    sink += complains(2);
    return sink + z + y[0] + status + flag < -1e30;
}
