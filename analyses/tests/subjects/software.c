/* Formats that the machine computes by other instructions. */

_Float16 halved(float x) { return (_Float16)x; } /* finds: overflow underflow */

_Float16 apart(_Float16 a) {
    if (!(a > 1 && a < 100)) return 0;
    return 1 / (a - (_Float16)0.5);
}

__float128 quotient(__float128 a, __float128 b) {
    if (!(a > 1 && a < 2 && b > -2 && b < 2)) return 0;
    return a / b; /* finds: divide-by-zero overflow */
}

__bf16 brief(double x) { return (__bf16)(x > 1 ? x : 1.0); } /* finds: overflow */

double product(double x, double y) { return (double)((__float128)x * y); } /* finds: overflow underflow */
