// expect: assertion-failure at 10
#include <assert.h>
#include <klee/klee.h>

#include <string.h>
int main(void) {
  char word[6];
  klee_make_symbolic(word, sizeof word, "word");
  word[5] = 0;
  assert(strcmp(word, "fleas") != 0);
}
