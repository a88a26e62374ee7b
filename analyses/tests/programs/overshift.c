// expect: overshift at 8
int __VERIFIER_nondet_int(void);

int main(void) {
  unsigned n = (unsigned)__VERIFIER_nondet_int();
  if (n > 40)
    return 0;
  return (int)(1u << n);
}
