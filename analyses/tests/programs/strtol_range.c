// expect: holds
#include <assert.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
int main(void) {
  char *end;
  errno = 0;
  assert(strtol("99999999999999999999", &end, 10) == LONG_MAX && errno == ERANGE && !*end);
  errno = 0;
  assert(strtol(" -0x1fz", &end, 0) == -31 && errno == 0 && *end == 'z');
}
