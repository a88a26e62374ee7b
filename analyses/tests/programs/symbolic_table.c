// expect: holds
#include <assert.h>
int __VERIFIER_nondet_int(void);

static const int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
int main(void) {
  unsigned i = (unsigned)__VERIFIER_nondet_int() & 7;
  assert(squares[i] == (int)(i * i));
}
