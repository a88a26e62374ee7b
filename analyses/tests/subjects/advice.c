#include <math.h>

double distance(double x, double y) { return sqrt(x * x + y * y); }

double norm(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

double middle(double a, double b) { return (a + b) / 2; }

double mean(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

double logistic(double x) { return exp(x) / (1 + exp(x)); }

double bose(double x) { return x / (exp(x) - 1); }

/* No order of these is safe for all numbers, and some are for numbers above one. */
double share(double a, double b, double c) { return a * b / c; }

/* Out of range in exact arithmetic, too. */
double power(double voltage, double current) { return voltage * current; }

static double square(double x) { return x * x; }

double through_calls(double x, double y) { return sqrt(square(x) + square(y)); }
