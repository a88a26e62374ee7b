// expect: invalid-deref at 11
#include <klee/klee.h>

#include <string.h>
int main(void) {
  char from[5], to[4];
  klee_make_symbolic(from, sizeof from, "from");
  from[4] = 0;
  unsigned i = 0;
  do
    to[i] = from[i];
  while (from[i++]);
  return to[0];
}
