// Numbers of all kinds, from a sequence that is always the same.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static inline uint64_t word(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static inline double as_double(uint64_t bits) {
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

// Special numbers, any encoding, or one of moderate size.
static inline double any_double(void) {
  static const double special[] = {
      0,       -0.0,    1,      -1,    2,      0.5,   INFINITY, -INFINITY, NAN,    1e308,
      1.7e308, 9e307,   1e-308, 4e-324, 1e-300, 1e300, 2.3e-16,  4.4e291,   1e-160, 1e160,
  };
  switch (word() % 4) {
  case 0: return special[word() % (sizeof special / sizeof *special)];
  case 1: return as_double(word());
  default: return as_double((word() & 0x800fffffffffffffu) | (1023 - 40 + word() % 80) << 52);
  }
}
static inline float any_float(void) {
  uint32_t bits = (uint32_t)word();
  float x;
  memcpy(&x, &bits, 4);
  return word() % 3 ? (float)any_double() : x;
}

static int wrong;
#define SAME(x, y) (((x) != (x) && (y) != (y)) || ((x) == (y) && !signbit(x) == !signbit(y)))
#define CHECK(name, is_same)                                                                       \
  if (!(is_same) && wrong++ < 5)                                                                   \
    printf("%s differs in round %d\n", name, round);
