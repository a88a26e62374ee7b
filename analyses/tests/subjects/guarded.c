/* Exceptions behind conditions that random inputs do not meet. */

double narrow(double x) {
    if (x > 3.7 && x < 3.7000001)
        return 1 / (x - 3.70000005); /* finds: divide-by-zero */
    return 0;
}

double nested(double x, double y) {
    if (x == 12345.678) {
        if (y * y == 2.25)          /* finds: overflow underflow */
            return 1.0 / (y - 1.5); /* finds: divide-by-zero */
    }
    return 0;
}

double reciprocal_gap(double x, double y) {
    if (x != y)
        return 1.0 / (x - y); /* finds: overflow underflow */
    return 0;
}

double by_count(int n, double x) {
    if (n > 1000 && n % 7 == 3)
        return x / (n - 2005); /* finds: underflow divide-by-zero invalid */
    return 0;
}
