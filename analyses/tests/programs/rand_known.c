// expect: holds
#include <assert.h>

#include <stdlib.h>
int main(void) {
  assert(rand() == 1804289383 && rand() == 846930886);
  srand(42);
  assert(rand() == 71876166);
}
