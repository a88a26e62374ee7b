// Our bodies of libgcc's functions on complex numbers beside libgcc's own.
#include "random.h"

#define BOTH(name, T, any)                                                                         \
  {                                                                                                \
    T _Complex name(T, T, T, T), ours##name(T, T, T, T);                                           \
    T a = any(), b = any(), c = any(), d = any();                                                  \
    T _Complex p = name(a, b, c, d), q = ours##name(a, b, c, d);                                   \
    CHECK(#name, SAME(__real__ p, __real__ q) && SAME(__imag__ p, __imag__ q))                     \
  }

static long double any_long(void) { return (long double)any_double() * any_float(); }

int main(void) {
  for (int round = 0; round < 300000; round++) {
    BOTH(__mulsc3, float, any_float)
    BOTH(__muldc3, double, any_double)
    BOTH(__mulxc3, long double, any_long)
    BOTH(__divsc3, float, any_float)
    BOTH(__divdc3, double, any_double)
    BOTH(__divxc3, long double, any_long)
  }
  return wrong != 0;
}
