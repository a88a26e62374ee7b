// Vectors are inputs by their elements.
#include <functional>
#include <vector>
double quotient(const std::vector<double> &v) {
    if (v.size() < 2)
        return 0;
    return 1 / (v[1] - 2); // finds: divide-by-zero underflow
}
void append(std::vector<double> &v) {
    double x = v.back();
    v.push_back(x * x); // finds: overflow underflow
}
double inverse(const std::function<double(double)> &f, double x) {
    return 1 / f(x); // finds: divide-by-zero overflow underflow
}
