#include <math.h>

double root(double a, double b, double c)
{
    double d = b * b - 4 * a * c;
    return (-b + sqrt(d)) / (2 * a);
}

double root_stable(double a, double b, double c)
{
    double d = b * b - 4 * a * c;
    return -2 * c / (b + sqrt(d));
}

double sine(double x)
{
    return x - sin(x);
}

double sine_stable(double x)
{
    double y = x * x;
    return x * y * (1.0 / 6 - y * (1.0 / 120 - y * (1.0 / 5040 - y / 362880)));
}

double heron(double a, double b, double c)
{
    double s = (a + b + c) / 2;
    return sqrt(s * (s - a) * (s - b) * (s - c));
}

double heron_stable(double a, double b, double c)
{
    return 0.25 * sqrt((a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c)));
}

float sum(const float *x)
{
    float s = 0;
    for (int i = 0; i < 64; i++)
        s += x[i];
    return s;
}

float sum_kahan(const float *x)
{
    float s = 0, c = 0;
    for (int i = 0; i < 64; i++) {
        float y = x[i] - c;
        float t = s + y;
        c = (t - s) - y;
        s = t;
    }
    return s;
}

float pid(float kp, float ki, float set, float measured, float integral)
{
    float error = set - measured;
    integral += error * 0.01f;
    return kp * error + ki * integral;
}

double distance(double lat1, double lon1, double lat2, double lon2)
{
    double c = sin(lat1) * sin(lat2) + cos(lat1) * cos(lat2) * cos(lon2 - lon1);
    return 6371e3 * acos(c);
}

double haversine(double lat1, double lon1, double lat2, double lon2)
{
    double u = sin((lat2 - lat1) / 2), v = sin((lon2 - lon1) / 2);
    return 2 * 6371e3 * asin(sqrt(u * u + cos(lat1) * cos(lat2) * v * v));
}

double softmax(double x, double y, double z)
{
    double a = exp(x), b = exp(y), c = exp(z);
    return a / (a + b + c);
}

double softmax_stable(double x, double y, double z)
{
    double m = x;
    if (y > m)
        m = y;
    if (z > m)
        m = z;
    double a = exp(x - m), b = exp(y - m), c = exp(z - m);
    return a / (a + b + c);
}

double logsumexp(double x, double y)
{
    return log(exp(x) + exp(y));
}

double logsumexp_stable(double x, double y)
{
    return fmax(x, y) + log1p(exp(-fabs(x - y)));
}

double deviation(const float *x)
{
    double s = 0, q = 0;
    for (int i = 0; i < 8; i++)
        s += x[i];
    for (int i = 0; i < 8; i++)
        q += (x[i] - s / 8) * (x[i] - s / 8);
    return q / 7;
}
