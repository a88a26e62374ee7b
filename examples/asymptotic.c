/* A large-argument formula of the kind that Bessel functions have:
 *
 *     K(order, x) ~ sqrt(pi / (2x)) exp(-x) (1 + first + second),
 *     first  = (4 order^2 - 1) / (8x),
 *     second = first * (4 order^2 - 9) / (16x).
 *
 *     nanoscope exceptions examples/asymptotic.c
 *
 * What Nanoscope shows: all four kinds. The square root's line divides by zero at
 * x = 0 and is invalid for x < 0; the two order-dependent terms overflow, each on
 * its own and multiplied; the square of a tiny order underflows. The author of such
 * a formula means "x large against order", and nothing in the code says so:
 *
 *     nanoscope exceptions examples/asymptotic.c --input order=0..100 --input x=1e4..1e8
 *
 * asks about that range alone.
 */

#include <math.h>

double asymptotic(double order, double x)
{
    const double pi = 3.14159265358979323846;
    double square = 4.0 * (order * order);
    double first = (square - 1.0) / (8.0 * x);
    double second = first * ((square - 9.0) / (16.0 * x));
    double scale = sqrt(pi / (2.0 * x));
    return scale * exp(-x) * (1.0 + first + second);
}
