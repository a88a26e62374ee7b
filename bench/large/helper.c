#include <math.h>
/* A helper of some thirty operations in loops: sums of its values, and its own iteration. */
/* Some thirty operations. */
static double helper(double x, double k) {
    double s = 0.1 * k;
    for (int i = 1; i <= 7; i++)
        s = (s * x + 1.0 / (i + 1)) * 0.5 + k * 0.001;
    return s / (1.0 + x * x);
}
double thousand(double x) {
    double sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += helper(x + i * 0.001, 0.5);
    return sum * 0.001;
}
double hundred_thousand(double x) {
    double sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += helper(x + i * 0.00001, 0.5);
    return sum * 0.00001;
}
double iterate(double x) {
    for (int i = 0; i < 5000; i++)
        x = helper(x, 0.25);
    return x;
}
