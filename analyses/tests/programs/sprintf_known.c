// expect: holds
#include <assert.h>

#include <stdio.h>
#include <string.h>
int main(void) {
  char s[64];
  assert(sprintf(s, "%5d|%-4x|%05.1f", -42, 255, 2.25) == 16);
  assert(strcmp(s, "  -42|ff  |002.2") == 0);
  sprintf(s, "%g %e %s%c", 1e-5, 12345.678, "ab", 'c');
  assert(strcmp(s, "1e-05 1.234568e+04 abc") == 0);
}
