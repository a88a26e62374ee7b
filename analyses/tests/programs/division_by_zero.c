// expect: integer-division-by-zero at 7
int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a > 100 && a < 200)
    return a / (b - 7);
  return 0;
}
