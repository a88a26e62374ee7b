/* The length of a vector: the sum of squares, and the same with scaling.
 *
 *     nanoscope exceptions examples/norm2.c --array x=3
 *
 * What Nanoscope shows: `norm2` overflows and underflows in the squares, for vectors
 * whose length is an ordinary number: (1e200, 0, 0) has the length 1e200, but the
 * sum says inf. `norm2_scaled` divides by the largest element first. Its squares
 * are at most 1; they still underflow, harmlessly, and the last multiplication can
 * overflow, rightly: the length of (max, max, max) is no double.
 */

#include <math.h>

double norm2(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

double norm2_scaled(const double *x, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    if (largest == 0.0)
        return 0.0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double ratio = x[i] / largest;
        sum += ratio * ratio;
    }
    return largest * sqrt(sum);
}
