/* Functions as they stand in many programs. Each is right on paper. */
#include <math.h>

double average(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

double variance(const double *x, int n)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    double mean = sum / n;
    return squares / n - mean * mean;
}

/* The larger root of a x^2 + b x + c. */
double quadratic(double a, double b, double c)
{
    double discriminant = b * b - 4.0 * a * c;
    return (-b + sqrt(discriminant)) / (2.0 * a);
}

void softmax(const double *x, double *p, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        p[i] = exp(x[i]);
        sum += p[i];
    }
    for (int i = 0; i < n; i++)
        p[i] /= sum;
}

/* The distance on a sphere, in kilometres; angles in radians. */
double haversine(double lat1, double lon1, double lat2, double lon2)
{
    double s = sin((lat2 - lat1) / 2.0), t = sin((lon2 - lon1) / 2.0);
    double h = s * s + cos(lat1) * cos(lat2) * t * t;
    return 2.0 * 6371.0 * asin(sqrt(h));
}

struct pid {
    double kp, ki, kd, integral, previous;
};

double pid_step(struct pid *c, double setpoint, double measured, double dt)
{
    double error = setpoint - measured;
    c->integral += error * dt;
    double derivative = (error - c->previous) / dt;
    c->previous = error;
    return c->kp * error + c->ki * c->integral + c->kd * derivative;
}

int histogram_bin(double x, double low, double high, int bins)
{
    return (int)((x - low) / (high - low) * bins);
}

void complex_divide(double a, double b, double c, double d, double *re, double *im)
{
    double size = c * c + d * d;
    *re = (a * c + b * d) / size;
    *im = (b * c - a * d) / size;
}

double cosine_similarity(const double *a, const double *b, int n)
{
    double dot = 0.0, norm_a = 0.0, norm_b = 0.0;
    for (int i = 0; i < n; i++) {
        dot += a[i] * b[i];
        norm_a += a[i] * a[i];
        norm_b += b[i] * b[i];
    }
    return dot / (sqrt(norm_a) * sqrt(norm_b));
}
