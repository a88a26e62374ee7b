// Pseudo-random numbers: glibc's, so that a native run sees the same. After a seed that is not
// known, any number comes.

#include "library.h"

enum { LAG = 31, APART = 3, SKIPPED = 310 };

static unsigned history[LAG];
static int place;
static enum { UNSEEDED, SEEDED, UNKNOWN } seeded;

static unsigned next(void) {
  unsigned *last = &history[place];
  unsigned number = *last + history[(place + LAG - APART) % LAG];
  *last = number;
  place = (place + 1) % LAG;
  return number;
}

LIBRARY void srandom(unsigned seed) {
  if (!nanoscope_known(seed)) {
    seeded = UNKNOWN;
    return;
  }
  seeded = SEEDED;
  long number = seed ? (int)seed : 1;
  for (int i = 0; i < LAG; i++) {
    history[i] = (unsigned)number;
    // 16807 times the last modulo 2^31 - 1, without overflow (Park and Miller).
    long high = number / 127773, low = number % 127773;
    number = 16807 * low - 2836 * high;
    if (number < 0)
      number += 2147483647;
  }
  place = APART;
  for (int i = 0; i < SKIPPED; i++)
    next();
}

LIBRARY long random(void) {
  if (seeded == UNKNOWN)
    return nanoscope_any("rand", 0, 2147483647);
  if (seeded == UNSEEDED)
    srandom(1);
  return next() >> 1;
}

LIBRARY void srand(unsigned seed) { srandom(seed); }

LIBRARY int rand(void) { return (int)random(); }

LIBRARY int rand_r(unsigned *seed) {
  unsigned state = *seed, result;
  state = state * 1103515245 + 12345;
  result = state / 65536 % 2048;
  state = state * 1103515245 + 12345;
  result = result << 10 ^ state / 65536 % 1024;
  state = state * 1103515245 + 12345;
  result = result << 10 ^ state / 65536 % 1024;
  *seed = state;
  return (int)result;
}

static unsigned long wide_state = 0x1234abcd330e;
static int wide_seeded;

static unsigned long wide_next(void) {
  // Before the first seed, glibc's state is all zeros.
  if (!wide_seeded) {
    wide_seeded = 1;
    wide_state = 0;
  }
  wide_state = (wide_state * 0x5deece66d + 11) & 0xffffffffffff;
  return wide_state;
}

LIBRARY void srand48(long seed) {
  wide_seeded = 1;
  wide_state = (unsigned long)(unsigned)seed << 16 | 0x330e;
}

LIBRARY double drand48(void) { return (double)wide_next() / 281474976710656.0; }

LIBRARY long lrand48(void) { return (long)(wide_next() >> 17); }

LIBRARY long mrand48(void) { return (int)(unsigned)(wide_next() >> 16); }
