/* What -ffast-math changes: a number below the smallest normal one counts as zero. */

double below(double x) {
    if (!(x > 0 && x < 1)) return 0;
    return 1 / (x * 1e-300); /* finds: divide-by-zero */
}

double kept(double x, double y) {
    if (!(x > 1 && x < 2 && y > 1 && y < 2)) return 0;
    return (x + y) / (x * y);
}
