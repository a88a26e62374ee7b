/* What `ranges` knows in proofs of precision: `nanoscope precision ranges.c --array x=N --array t=N
 * --input "*=..." --only prove`, and the same with --no-ranges. */
#include <math.h>

#ifndef N
#define N 20
#endif

/* A state that moves towards its inputs stays between them. */
double reciprocal_of_blend(const double *x, const double *t)
{
    double v = 1.5;
    for (int i = 0; i < N; i++)
        v = v + t[i] * (x[i] - v);
    return 1 / v;
}

double log_of_blend(const double *x, const double *t)
{
    double v = 1.5;
    for (int i = 0; i < N; i++)
        v = v + t[i] * (x[i] - v);
    return log(v);
}

/* The same of two states, the distance of which is bounded. */
double distance_of_blends(const double *x, const double *t)
{
    double u = 0, v = 1;
    for (int i = 0; i < N; i++) {
        u = u + t[i] * (x[i] - u);
        v = v + t[i] * (x[i] - v);
    }
    return sqrt(4 + u - v);
}
