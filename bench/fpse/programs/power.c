/* FPSE, figure 9: x to the power of y by repeated multiplication. */
#ifndef REAL
#define REAL double
#endif

REAL power(REAL x, REAL y)
{
    REAL w = y, z = 1;
    if (y < (REAL)0.0)
        w = (REAL)0.0 - y;
    while (w > (REAL)0.0) {
        z = z * x;
        w = w - (REAL)1.0;
    }
    if (y < (REAL)0.0)
        z = (REAL)1.0 / z;
    return z;
}
