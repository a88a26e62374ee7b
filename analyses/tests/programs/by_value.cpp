// expect: holds
#include <cassert>
extern "C" float __VERIFIER_nondet_float();
struct Small { float x, y; };
struct Large { float v[6]; };
static Small swapped(Small p) { float t = p.x; p.x = p.y; p.y = t; return p; }
static Large reversed(Large l) {
  for (int i = 0; i < 3; i++) { float t = l.v[i]; l.v[i] = l.v[5 - i]; l.v[5 - i] = t; }
  return l;
}
int main() {
  Small p{__VERIFIER_nondet_float(), __VERIFIER_nondet_float()};
  Large l{{p.x, 1, 2, 3, 4, p.y}};
  if (p.x != p.x || p.y != p.y) return 0;
  Small q = swapped(swapped(p));
  Large m = reversed(l);
  assert(q.x == p.x && q.y == p.y && m.v[0] == p.y && l.v[0] == p.x);
}
