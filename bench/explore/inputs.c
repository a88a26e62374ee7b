// One long path: an input, an assumption and a store an iteration.
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void reach_error(void);

static int last[64];

int main(void) {
  unsigned sum = 0;
  for (int i = 0; i < 100000; i++) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0 && x < 1000);
    sum = sum * 31 + (unsigned)x;
    last[i % 64] = x;
  }
  if (sum == 12345)
    reach_error();
  return last[0] != 0;
}
