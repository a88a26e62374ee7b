/* What exceptions do: each function does a known harm on the lines that say so. */
#include <math.h>
#include <stdlib.h>

/* harm: silently-wrong avoidable. The square overflows, the quotient is 0, and the exact one
 * is 1/x. */
double damped(double x)
{
    return x / (1.0 + x * x);
}

/* harm: spoilt avoidable. The length fits, its square does not. */
double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* harm: harmless. A square too small to matter. */
double above_one(double x)
{
    return x * x + 1.0;
}

/* harm: unavoidable. The result itself is too large. */
double square(double x)
{
    return x * x;
}

/* harm: reported. The caller is told. */
struct result {
    double val;
    double err;
};

int square_e(double x, struct result *result)
{
    result->val = x * x;
    result->err = fabs(result->val) * 1e-16;
    return isinf(result->val) ? 16 : 0;
}

/* harm: unclassified. The other function is not modelled. */
double through(double x)
{
    return x * x + atof("1");
}

/* The difference is invalid after an overflow only. */
double after(double x)
{
    double y = x * x;
    return y - y;
}

/* harm: undefined. No int holds the quotient. */
int bin(double x, double width)
{
    return (int)(x / width);
}

/* Some numbers fit into no unsigned char. */
unsigned char steps(float volts, float reference) {
    return (unsigned char)(volts / reference * 255.0f + 0.5f);
}
