// expect: holds
#include <assert.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
int main(void) {
  assert(strtod("0.1", 0) == 0.1);
  assert(strtod("123456789012345678901234567890e-10", 0) == 12345678901234567890.123456789);
  assert(strtod("-4.9406564584124654e-324", 0) == -0x1p-1074);
  assert(strtod("0x1.8p3", 0) == 12);
  assert(strtof("16777217", 0) == 16777216.0f);
  assert(strtold("1e-4000", 0) == 1e-4000L);
  errno = 0;
  assert(isinf(strtod("1e999", 0)) && errno == ERANGE);
}
