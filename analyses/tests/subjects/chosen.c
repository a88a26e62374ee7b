/* One product that can overflow, and one that cannot. */

double square(double x) { return x * x; }

double guarded(double x)
{
    if (x > 0.5 && x < 1e100)
        return x * x;
    return 0.0;
}
