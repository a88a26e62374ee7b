// expect: holds
#include <assert.h>
double __VERIFIER_nondet_double(void);

struct point {
  double x, y;
};
struct box {
  struct point low, high;
  int tag;
};
static struct box grown(struct box b, struct point p) {
  if (p.x < b.low.x)
    b.low.x = p.x;
  if (p.x > b.high.x)
    b.high.x = p.x;
  b.tag++;
  return b;
}
int main(void) {
  struct box b = {{0, 0}, {0, 0}, 1};
  struct point p = {__VERIFIER_nondet_double(), 0};
  struct box c = grown(b, p);
  assert(b.tag == 1 && b.low.x == 0 && c.tag == 2);
  assert(c.low.x <= 0 && c.high.x >= 0);
}
