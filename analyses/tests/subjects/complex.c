// Quotients and products of complex numbers raise at the line where they stand.
#include <complex.h>
double quotient(double a, double b) {
    if (!(a >= 1 && a <= 2 && b >= -2 && b <= 2))
        return 0;
    double _Complex z = a / (b + 0.0 * I); // finds: divide-by-zero invalid overflow underflow
    return creal(z);
}
double magnitude(double _Complex z) {
    return cabs(z); // finds: overflow underflow
}
