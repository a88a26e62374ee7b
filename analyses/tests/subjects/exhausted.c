/* What no range says, and following all paths does. */
#include <stdint.h>
#include <string.h>

/* An odd number, however its bits are turned, is no zero. */
double odd(uint32_t n)
{
  uint32_t mixed = (n ^ (n >> 3)) * 2u + 1u;
  return 1.0 / (double)(int32_t)(mixed & 0xff);
}
