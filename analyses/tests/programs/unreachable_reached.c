// expect: unreachable at 13
int __VERIFIER_nondet_int(void);

static int kind(int n) {
  switch (n & 3) {
  case 0:
    return 10;
  case 1:
    return 20;
  case 2:
    return 30;
  }
  __builtin_unreachable();
}
int main(void) { return kind(__VERIFIER_nondet_int()); }
