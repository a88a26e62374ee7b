// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

struct flags {
  unsigned low : 3, high : 5;
  int sign : 2;
};
int main(void) {
  int n = __VERIFIER_nondet_int();
  struct flags f = {0};
  f.low = (unsigned)n;
  f.high = (unsigned)n >> 3;
  f.sign = n >> 8;
  assert((f.low | f.high << 3) == (n & 255));
  assert(f.sign >= -2 && f.sign <= 1);
}
