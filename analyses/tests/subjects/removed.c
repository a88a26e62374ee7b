/* What is computed and not used: the optimiser leaves it out, the source does not. */

static double mean_of_squares(double x, double *spread)
{
    double square = x * x; /* finds: overflow underflow */
    *spread = square;
    return x;
}

double unused(double x)
{
    double spread;
    return mean_of_squares(x, &spread);
}
