/* With infinities and NaN as inputs: what is passed on is no exception. */

double scale(double x) {
    return x * 0.5; /* finds: underflow */
}

double sum(double x, double y) {
    return x + y; /* finds: overflow underflow invalid */
}

double shift(double x) {
    return x + 1.0;
}
