#include <math.h>

double limited(double e, double i, double kp, double ki)
{
    double u = kp * e + ki * i;
    if (u > 100)
        u = 100;
    if (u < -100)
        u = -100;
    return 2.5 * u + 1;
}

struct state {
    double integral, output;
    int saturated;
};

static void step(struct state *s, double e)
{
    s->integral += 0.125 * e;
    s->output = 3 * e + s->integral;
    s->saturated = 0;
    if (s->output > 10) {
        s->output = 10;
        s->saturated = 1;
    }
}

double steps(const double *x)
{
    struct state s = {0, 0, 0};
    int count = 0;
    for (int k = 0; k < 4; k++) {
        step(&s, x[k]);
        count += s.saturated;
    }
    return s.output + 0 * count;
}

double deadband(double x, double y)
{
    double d = x - y * 0.3;
    double a = d;
    if (d < 0)
        a = -d;
    if (a < 0.5)
        return 0;
    return a - 0.5;
}

double magnitudes(const double *x)
{
    double s = 0;
    for (int i = 0; i < 4; i++) {
        double d = x[i] - 0.1 * i;
        if (d > 0)
            s += d;
        else
            s -= d;
    }
    return s;
}

double newton(double a)
{
    double x = a;
    for (int i = 0; i < 4; i++) {
        double next = 0.5 * (x + a / x);
        if (fabs(next - x) < 1e-9)
            break;
        x = next;
    }
    return x;
}

double jump(double x, double y)
{
    return x * y > 0.5 ? 1 : 0.25;
}
