/* FPSE, table 3, row 8: after Howden, Validation of scientific programs. */
#ifndef REAL
#define REAL double
#endif

REAL howden(REAL a, REAL b)
{
    REAL x = a * b + (REAL)2.0;
    if (x > (REAL)100.0)
        x = (REAL)100.0 - x;
    x = x - (REAL)50.0;
    if (x > (REAL)50.0)
        return 1;
    return 0;
}
