/* The average of two numbers, five ways, after a question Sterbenz asked.
 *
 *     nanoscope exceptions examples/average.c
 *
 * What Nanoscope shows: `average_naive` overflows in its sum although every average
 * of two finite doubles is a finite double. `average_halves` cannot overflow but
 * underflows: halving an odd subnormal loses its last bit, so that the average of
 * the smallest subnormal with itself is zero. `average_from_lower` and
 * `average_from_upper` overflow in the difference when the signs differ.
 * `average_by_sign` adds only numbers of unlike signs and subtracts only numbers of
 * like signs: neither its sums nor its differences overflow. What is left there is
 * the underflow of halving a tiny distance.
 */

double average_naive(double x, double y)
{
    return (x + y) / 2.0;
}

double average_halves(double x, double y)
{
    return x / 2.0 + y / 2.0;
}

double average_from_lower(double x, double y)
{
    return x + (y - x) / 2.0;
}

double average_from_upper(double x, double y)
{
    return y - (y - x) / 2.0;
}

double average_by_sign(double x, double y)
{
    int same_sign = (x >= 0.0) == (y >= 0.0);
    if (!same_sign)
        return (x + y) / 2.0;
    if (y >= x)
        return x + (y - x) / 2.0;
    return y + (x - y) / 2.0;
}
