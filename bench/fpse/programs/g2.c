/* FPSE, table 3, rows 2 and 3: the discriminant of a second-order equation. */
#ifndef REAL
#define REAL double
#endif

REAL g2(REAL a, REAL b, REAL c)
{
    REAL delta = b * b - (REAL)4.0 * (a * c);
    if (delta == (REAL)0.0)
        return 0;
    return delta;
}
