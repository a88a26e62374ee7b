// expect: invalid-deref at 8
int __VERIFIER_nondet_int(void);

int main(void) {
  double a[4] = {0};
  unsigned i = (unsigned)__VERIFIER_nondet_int();
  if (i <= 4)
    a[i] += 1;
  return (int)a[0];
}
