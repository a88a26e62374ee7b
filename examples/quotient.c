/* Guarded quotients: when does testing x != y make 1 / (x - y) safe?
 *
 *     nanoscope exceptions examples/quotient.c
 *
 * What Nanoscope shows: in `reciprocal_gap` the guard works against division by
 * zero, because with gradual underflow x != y implies x - y != 0; but a subnormal
 * difference makes the quotient overflow. In `reciprocal_gap_of_squares` the guard
 * tests the wrong thing: the squares can be equal, or both underflow to 0, and the
 * division by zero is found. In `slope` both differences can overflow at once, and
 * inf / inf is a NaN.
 */

double reciprocal_gap(double x, double y)
{
    double z = 0.0;
    if (x != y)
        z = 1.0 / (x - y);
    return z;
}

double reciprocal_gap_of_squares(double x, double y)
{
    double z = 0.0;
    if (x != y)
        z = 1.0 / (x * x - y * y);
    return z;
}

double slope(double x0, double y0, double x1, double y1)
{
    if (x0 == x1)
        return 0.0;
    return (y1 - y0) / (x1 - x0);
}
