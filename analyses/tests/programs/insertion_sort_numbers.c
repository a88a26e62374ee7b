// expect: holds
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);

static void sort(float *a, int n) {
  for (int i = 1; i < n; i++) {
    float x = a[i];
    int j = i;
    for (; j > 0 && a[j - 1] > x; j--)
      a[j] = a[j - 1];
    a[j] = x;
  }
}
int main(void) {
  float a[3];
  for (int i = 0; i < 3; i++) {
    a[i] = __VERIFIER_nondet_float();
    if (isnan(a[i]))
      return 0;
  }
  sort(a, 3);
  for (int i = 1; i < 3; i++)
    assert(a[i - 1] <= a[i]);
}
