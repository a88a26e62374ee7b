/* Large computations, for `nanoscope precision`: see programs.sh for ranges. */
#include <math.h>

double chain_sum(const double x[1024])
{
    double s = 0;
    for (int i = 0; i < 1024; i++)
        s += x[i];
    return s;
}

static double tree(const double *x, int n)
{
    if (n == 1)
        return x[0];
    return tree(x, n / 2) + tree(x + n / 2, n - n / 2);
}

double tree_sum(const double x[1024])
{
    return tree(x, 1024);
}

static double coefficient(int i)
{
    return (i % 2 == 0 ? 1.0 : -1.0) / (i + 1);
}

double horner(double x)
{
    double p = coefficient(50);
    for (int i = 49; i >= 0; i--)
        p = p * x + coefficient(i);
    return p;
}

double monomials(double x)
{
    double power = x, p = coefficient(0);
    for (int i = 1; i <= 50; i++) {
        p += coefficient(i) * power;
        power *= x;
    }
    return p;
}

static double lorenz(double x, double y, double z, int steps)
{
    for (int k = 0; k < steps; k++) {
        double dx = 10 * (y - x);
        double dy = x * (28 - z) - y;
        double dz = x * y - 8.0 / 3 * z;
        x += 0.005 * dx;
        y += 0.005 * dy;
        z += 0.005 * dz;
    }
    return x;
}

double lorenz20(double x, double y, double z)
{
    return lorenz(x, y, z, 20);
}

double lorenz40(double x, double y, double z)
{
    return lorenz(x, y, z, 40);
}

double lorenz70(double x, double y, double z)
{
    return lorenz(x, y, z, 70);
}

double heat(const double x[65])
{
    double row[65], old[65];
    for (int i = 0; i < 65; i++)
        row[i] = x[i];
    for (int k = 0; k < 32; k++) {
        for (int i = 0; i < 65; i++)
            old[i] = row[i];
        for (int i = 1; i < 64; i++)
            row[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]);
    }
    return row[32];
}

double fdtd(const double x[500], const double y[499])
{
    double electric[500], magnetic[499], sum = 0;
    for (int i = 0; i < 500; i++)
        electric[i] = x[i];
    for (int i = 0; i < 499; i++)
        magnetic[i] = y[i];
    for (int k = 0; k < 64; k++) {
        for (int i = 0; i < 499; i++)
            magnetic[i] += 0.3 * (electric[i + 1] - electric[i]);
        for (int i = 1; i < 499; i++)
            electric[i] += 0.3 * (magnetic[i] - magnetic[i - 1]);
    }
    for (int i = 0; i < 500; i++)
        sum += electric[i];
    return sum;
}

double fft(const double x[1024])
{
    static double re[1024], im[1024];
    for (int i = 0; i < 1024; i++) {
        int reversed = 0;
        for (int bit = 0; bit < 10; bit++)
            reversed |= (i >> bit & 1) << (9 - bit);
        re[i] = x[reversed];
        im[i] = 0;
    }
    for (int half = 1; half < 1024; half *= 2)
        for (int start = 0; start < 1024; start += 2 * half)
            for (int k = 0; k < half; k++) {
                double angle = -3.141592653589793 * k / half;
                double c = cos(angle), s = sin(angle);
                int p = start + k, q = start + k + half;
                double tr = re[q] * c - im[q] * s, ti = re[q] * s + im[q] * c;
                double ur = re[p], ui = im[p];
                re[p] = ur + tr;
                im[p] = ui + ti;
                re[q] = ur - tr;
                im[q] = ui - ti;
            }
    return re[1];
}

double prefix_sum(const double x[4096])
{
    static double sums[4096];
    double s = 0;
    for (int i = 0; i < 4096; i++) {
        s += x[i];
        sums[i] = s;
    }
    return sums[4095];
}

/* One entry: all have the same bound. */
double matrix_product(const double x[64], const double y[64])
{
    double s = 0;
    for (int i = 0; i < 64; i++)
        s += x[i] * y[i];
    return s;
}
