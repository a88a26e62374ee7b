// expect: holds
#include <assert.h>
#include <klee/klee.h>

#include <stdlib.h>
int main(void) {
  char s[3];
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume(s[0] >= '0' & s[0] <= '9');
  klee_assume(s[1] >= '0' & s[1] <= '9');
  klee_assume(s[2] == 0);
  assert(atof(s) == (s[0] - '0') * 10 + (s[1] - '0'));
}
