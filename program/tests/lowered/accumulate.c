// Loops, branches, structures, arrays, calls: what C is made of.
#include <math.h>

struct series { int length; double terms[8]; float scale; };

static struct series given = {3, {1.0, 0.5, 0.25}, 2.0f};
struct series *chosen = &given;

static double term(const struct series *s, int i) { return s->terms[i] * s->scale; }

double accumulate(struct series s, double limit) {
  double sum = 0, local[2] = {0};
  for (int i = 0; i < s.length; i++) {
    sum += term(&s, i);
    local[i % 2] = sum;
    if (sum > limit) break;
  }
  switch (s.length) {
  case 0: return limit;
  case 1: sum = -sum; break;
  default: sum = sqrt(sum);
  }
  return sum / (limit - 1) + local[0];
}

int main(int argc, char **argv) { return (int)accumulate(*chosen, argc) + (argc > 1 && argv[1][0]); }
