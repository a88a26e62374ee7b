/* The mathematical library's domain, pole and range errors, told of the call. */
#include <math.h>

double logarithm(double x) {
    return log(x); /* finds: divide-by-zero invalid */
}

double exponential(double x) {
    return exp(x); /* finds: overflow underflow */
}

double root(double x) {
    return sqrt(x); /* finds: invalid */
}

double arc(double x) {
    return acos(x); /* finds: invalid */
}

double power(double x, double y) {
    return pow(x, y); /* finds: overflow underflow divide-by-zero invalid */
}

double modulus(double x, double y) {
    return fmod(x, y); /* finds: underflow invalid */
}

double hyperbolic(double x) {
    return atanh(x); /* finds: underflow divide-by-zero invalid */
}

double sine(double x) {
    return sin(x); /* finds: underflow */
}

float single(float x) {
    return expf(x); /* finds: overflow underflow */
}

double magnitude(double x) {
    return fabs(x);
}
