/* Safe where 1 <= x <= 1e100 and 1 <= n <= 8. */

double mean_square(double x, int n) {
    return x * x / n;
}
