// expect: holds
#include <assert.h>
#include <klee/klee.h>

#include <stdio.h>
int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  klee_assume(s[1] == ' ');
  s[3] = 0;
  int a = 0, b = 0;
  if (sscanf(s, "%d %d", &a, &b) == 2)
    assert(a >= 0 && a <= 9 && b >= 0 && b <= 9);
}
