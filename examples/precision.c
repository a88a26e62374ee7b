/* Formulas that lose precision, each with a form that does not. Try
 *
 *   nanoscope precision examples/precision.c -lm --function smaller_root \
 *       --input b=1..1e6 --input c=1..10 --html roots.html
 *   nanoscope precision examples/precision.c -lm --function smaller_root_stable \
 *       --input b=10..1e6 --input c=1..10
 */
#include <math.h>

/* The smaller root of x*x - 2*b*x + c. */
double smaller_root(double b, double c)
{
    return b - sqrt(b * b - c);
}

double smaller_root_stable(double b, double c)
{
    return c / (b + sqrt(b * b - c));
}

/* (1 - cos x) / x^2, which is near 0.5 for small x. */
double one_minus_cosine(double x)
{
    return (1 - cos(x)) / (x * x);
}

double one_minus_cosine_stable(double x)
{
    double half = sin(x / 2);
    return 2 * half * half / (x * x);
}

/* The variance of n numbers, in one pass and in two. */
double variance(const double *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    return (squares - sum * sum / n) / n;
}

double variance_stable(const double *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return squares / n;
}

/* Whether the solution x of a1 x + b1 y = c1, a2 x + b2 y = c2 is not negative: a controller
 * that decides by the sign of a rounded determinant. */
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
