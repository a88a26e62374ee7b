/* FPSE, table 3, row 1: ((2e-30 + 1e30) - 1e30) - 1e-30, its terms as inputs. */
#ifndef REAL
#define REAL double
#endif

REAL g1(REAL small, REAL large, REAL third)
{
    return ((small + large) - large) - third;
}
