/* FPSE, figure 2: feasible over the reals; over single-format floats it is not. */
#ifndef REAL
#define REAL double
#endif

REAL foo2(REAL x)
{
    REAL y = (REAL)1.0e12, z = 0;
    if (x < (REAL)10000.0)
        z = x + y;
    if (z > y)
        return 1;
    return 0;
}
