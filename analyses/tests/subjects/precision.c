#include <math.h>

double smaller_root(double b, double c)
{
    double s = sqrt(b * b - c);
    return b - s;
}

double smaller_root_stable(double b, double c)
{
    double s = sqrt(b * b - c);
    return c / (b + s);
}

double one_cosine(double x)
{
    double c = cos(x);
    return 1 - c;
}

double one_cosine_stable(double x)
{
    double s = sin(x / 2);
    return 2 * s * s;
}

double variance(const double *x)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < 8; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    return squares - sum * sum / 8;
}

double total(const double *x)
{
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += x[i];
    return sum;
}

int cents(double amount)
{
    return (int)(amount * 100);
}

int control(float a1, float a2, float b1, float b2, float c1, float c2)
{
    float a1b2 = a1 * b2;
    float a2b1 = a2 * b1;
    float denom = a1b2 - a2b1;
    float x = (c1 * b2 - c2 * b1) / denom;
    if (x >= 0.0f)
        return 1;
    return 0;
}

float control_value(float a1, float a2, float b1, float b2, float c1, float c2)
{
    return (c1 * b2 - c2 * b1) / (a1 * b2 - a2 * b1);
}

/* A helper of many operations. */
static double helper(double x, double k) {
    double s = 0.1 * k;
    for (int i = 1; i <= 20; i++)
        s = (s * x + 1.0 / (i + 1)) * 0.5 + k * 0.001;
    return s / (1.0 + x * x);
}

double helped(double x) {
    double sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += helper(x + i * 0.00005, 0.5);
    return sum * 0.00005;
}

double interpolated(double x) {
    static const double y[] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100};
    int i = (int)x;
    if (i > 9)
        i = 9;
    double t = x - i;
    return y[i] + t * (y[i + 1] - y[i]);
}

/* A state that moves towards its inputs stays between them, however often. */
double adapted(const double *x, const double *gain)
{
    double state = 1.5;
    for (int i = 0; i < 8; i++)
        state = state + gain[i] * (x[i] - state);
    return 1 / state;
}

/* The angle between vectors: where they are parallel, rounding may take the cosine above 1. */
double angle(double a, double b, double c, double d)
{
    double product = a * c + b * d;
    return acos(product / (sqrt(a * a + b * b) * sqrt(c * c + d * d)));
}

/* The count of numbers divides an index. */
double middle(const double *x, int n)
{
    return x[n / 2] + x[(n - 1) % 8 / 2];
}

/* A loop whose length is an input. */
double multiples(double x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x * i;
    return sum;
}

/* An assertion is a precondition. */
#include <assert.h>
double asserted(double x)
{
    assert(x >= 1 && x <= 2);
    return x * x + x;
}

/* Only where x is positive does y matter. */
#include <stdlib.h>
double guarded(double x, double y)
{
    double result;
    if (x > 0) {
        if (y > 1)
            abort();
        result = x;
    } else {
        result = x * y + 0.1;
    }
    return result;
}

double never(double x)
{
    if (x > 0)
        exit(1);
    abort();
}
