// Variables that constructors compute are what exact arithmetic finds, too.
#include <cmath>

struct Shared {
  double value;
};
static Shared shared{1};
static Shared *listed;
static void enlist(Shared *one) { listed = one; }
struct First {
  First() { enlist(&shared); }
};
struct Second {
  Second() { listed->value = 3; }
};
static First first;
static Second second;
static double seed = std::sin(1.0) / 3.0;

double through_list(double x) { return 1 / (shared.value - 3 + 0 * x); }
double by_seed(double x) { return 1 / (x - seed); }
