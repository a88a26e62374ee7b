/* Arithmetic on integers that derive from floats, in each of its ways; and on others. */
#include <math.h>
#include <stdlib.h>

double at(double x)
{
    int i = (int)x;       // finds: conversion-out-of-range
    return i + 1;         // finds: integer-overflow
}

int below(double x)
{
    if (!(x > -2147483649.0 && x < 0)) return 0;
    return (int)x - 1;    // finds: integer-overflow
}

int negated(double x)
{
    if (!(x > -2147483649.0 && x < 0)) return 0;
    return -(int)x;       // finds: integer-overflow
}

int product(double x, double y)
{
    if (!(x >= 0 && x < 100000 && y >= 0 && y < 100000)) return 0;
    int n = (int)x, m = (int)y;
    return n * m;         // finds: integer-overflow
}

int narrow(double x)
{
    long n = lrint(x);    // finds: conversion-out-of-range
    return (int)n;        // finds: integer-overflow
}

long rounded(float x)
{
    return lroundf(x);    // finds: conversion-out-of-range
}

long rounded_within(double x)
{
    if (!(fabs(x) < 9e18)) return 0;
    return llround(x);
}

static int next(int n)
{
    return n + 7;         // finds: integer-overflow
}

int through_a_call(double x)
{
    if (!(x >= 0 && x < 2147483647)) return 0;
    return next((int)x);
}

double *a_size(double x)
{
    if (!(x >= 0 && x < 1e19)) return 0;
    size_t n = (size_t)x;
    return malloc(n * sizeof(double)); // finds: integer-overflow
}

/* Wraps by right: nothing is computed from it that finds its way in memory. */
unsigned hash(double x)
{
    if (!(x >= 0 && x < 4294967296.0)) return 0;
    return (unsigned)x * 2654435761u;
}

/* Fits: ranges know. */
int fits(double x)
{
    if (!(x >= 0 && x < 1000)) return 0;
    int n = (int)x;
    return n * n + 1 - 2 * n;
}

/* Derives from no float. */
int count(int n, int m)
{
    return n + m;
}
