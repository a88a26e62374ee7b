/* Inputs that are parts of others: bit-fields, unions, functions in structures, and arrays that a
 * function which the target is given writes. */

struct flags {
    unsigned mode : 3;
    int sign : 2;
    unsigned n : 10;
    unsigned scale : 9;
};

double scaled(struct flags f, double x) {
    if (!(x > 1 && x < 2)) return 0;
    if (f.mode == 5) return x / f.n; /* finds: divide-by-zero */
    return x / (f.scale + 1);
}

double straddling(const struct flags *f) { return 1.0 / (f->scale - 300.0); } /* finds: divide-by-zero */

union either {
    float narrow;
    double wide;
};

double widest(const union either *e) { return e->wide > 1e300 ? e->wide * 1e10 : 0; } /* finds: overflow */

struct function {
    double (*f)(double x, void *parameters);
    void *parameters;
};

double slope(struct function *F, double a) {
    if (!(a > 1 && a < 2)) return 0;
    double y = F->f(a, F->parameters);
    return y > 1 && y < 3 ? a / (y - 2) : 0; /* finds: divide-by-zero */
}

double euler(double t, const double *y, void (*rhs)(double t, const double *y, double *dy)) {
    double dy[2] = {0, 0};
    rhs(t, y, dy);
    return dy[1] > 1 && dy[1] < 3 && dy[0] == 4 ? 1 / (dy[1] - 2) : 0; /* finds: divide-by-zero */
}
