// expect: holds
// flags: -lm
#include <assert.h>
#include <math.h>
#include <klee/klee.h>

int main(void) {
  int a = klee_get_value_i32(klee_range(-2, 3, "a"));
  int b = klee_get_value_i32(klee_range(-2, 3, "b"));
  double m[2][2] = {{a, 1}, {b, 3}};
  double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  if (det == 0)
    return 0;
  double n[2][2] = {{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      double e = m[i][0] * n[0][j] + m[i][1] * n[1][j];
      assert(fabs(e - (i == j)) < 1e-14);
    }
  }
}
