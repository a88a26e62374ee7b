/* FPSE, figure 1: feasible over the floats though no real satisfies it. */
#ifndef REAL
#define REAL double
#endif

REAL foo1(REAL x)
{
    REAL y = (REAL)1.0e12, z = 0;
    if (x > (REAL)0.0)
        z = x + y;
    if (z == y)
        return 1;
    return 0;
}
