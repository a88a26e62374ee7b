// Variables that are computed before `main` have their values when a function runs.
#include <cmath>
static double seed = std::sin(1.0) / 3.0;
static double table[3];
struct Fill { Fill() { for (int i = 0; i < 3; i++) table[i] = std::exp(1.0 * i); } };
static Fill fill;
double pole(double x) {
  return 1 / (x - seed); // finds: divide-by-zero underflow
}
double safe(int i, double x) {
  if (i < 0 || i > 2 || !(x > 1 && x < 2)) return 0;
  return x / table[i];
}
