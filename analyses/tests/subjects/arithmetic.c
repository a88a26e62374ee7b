/* Every operation with every exception it can create, on a line of its own. */

double add(double x, double y) {
    return x + y; /* finds: overflow underflow */
}

double subtract(double x, double y) {
    return x - y; /* finds: overflow underflow */
}

double multiply(double x, double y) {
    return x * y; /* finds: overflow underflow */
}

double divide(double x, double y) {
    return x / y; /* finds: overflow underflow divide-by-zero invalid */
}

double halve(double x) {
    return x / 2.0; /* finds: underflow */
}

double decrement(double x) {
    return x - 1.0;
}

double infinite_difference(double x, double y) {
    double a = x * x; /* finds: overflow underflow */
    double b = y * y; /* finds: overflow underflow */
    return a - b;     /* finds: underflow invalid */
}

double zero_times_infinity(double x, double y) {
    double a = x * x;     /* finds: overflow underflow */
    return a * (y - 1.0); /* finds: overflow underflow invalid */
}
