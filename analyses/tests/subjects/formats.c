/* The other formats of C. */

float single(float x, float y) {
    return x * y; /* finds: overflow underflow */
}

float narrowed(double x) {
    return (float)x; /* finds: overflow underflow */
}

double widened(float x) {
    return (double)x * x;
}

long double extended(long double x, long double y) {
    return x * y; /* finds: overflow underflow */
}

double extended_quotient(double x, double y) {
    return (double)((long double)x / y); /* finds: overflow underflow divide-by-zero invalid */
}
