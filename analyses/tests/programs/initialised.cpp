// expect: holds
#include <cassert>
#include <cmath>
extern "C" double __VERIFIER_nondet_double();
struct Table {
  double at[4];
  Table() { for (int i = 0; i < 4; i++) at[i] = std::ldexp(1.0, i) / 3; }
};
static const Table table;
static double first = table.at[0] * 3;
double sum() { static double total = table.at[1] + table.at[2]; return total; }
int main() {
  assert(first == 1);
  double x = __VERIFIER_nondet_double();
  if (x > 0 && x < 1) assert(x * table.at[3] < 8.0 / 3 + 1);
  assert(sum() == 2.0 / 3 + 4.0 / 3);
}
