/* Twenty operations on two numbers, without a branch: ten additions and ten
 * multiplications, most of them waiting for the one before. */

double polynomial(double x, double y)
{
    double s = x * y + 1.25;
    s = s * x + 0.5;
    s = s * y + 3.0;
    s = s * x + 0.75;
    s = s * y + 2.5;
    s = s * x + 0.125;
    s = s * y + 7.0;
    s = s * x + 1.5;
    s = s * y + 0.25;
    return s * x + y;
}
