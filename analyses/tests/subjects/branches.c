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

double controller(const double *x, double y)
{
    double sum = 0;
    for (int k = 0; k < 8; k++) {
        double e = x[k] - y;
        sum = sum + 0.01 * e;
        if (sum > 0.5)
            sum = 0.5;
        else if (sum < -0.5)
            sum = -0.5;
        double u = 2.0 * e + 0.5 * sum;
        if (u > 1)
            u = 1;
        else if (u < -1)
            u = -1;
        y = y + 0.1 * (u - y);
    }
    return y;
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
    for (int k = 0; k < 8; k++) {
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
    for (int i = 0; i < 8; i++) {
        double d = x[i] - 0.1 * i;
        if (d > 0)
            s += d;
        else
            s -= d;
    }
    return s;
}

double within(double x, double y)
{
    double t = x * y;
    if (t > 0.25 && t < 0.75)
        return 0.5 + (t - 0.25);
    if (t <= 0.25)
        return 0.25 + t;
    return 1.75 - t;
}

double newton(double a)
{
    double x = a;
    for (int i = 0; i < 6; i++) {
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
