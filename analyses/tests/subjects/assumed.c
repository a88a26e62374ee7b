/* What divides by zero here only where no range of one input excludes it: a relation of two. */
double ordered(double x, double y)
{
    if (x > y) return 1.0 / (x - x);
    return 0;
}

double inside(double x, double y)
{
    if (x > 2 || y < -2) return 1.0 / (x - x);
    return y;
}
