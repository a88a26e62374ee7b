/* What a search does not come by in years, and exploration in a moment. */
#include <stdint.h>
#include <string.h>

/* A checksum of the bits guards a division. */
double checksum(double x, double y)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits * 0x9e3779b97f4a7c15u) == 0x123456789abcdef1u)
    return 1.0 / (y - y); /* finds: divide-by-zero */
  return 0.0;
}

/* Bits that no product of magnitudes leads to. */
double key(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits ^ (bits >> 7)) == 0x400921fb54442d18u)
    return (x - x) / (x - x); /* finds: invalid */
  return 1.0;
}
