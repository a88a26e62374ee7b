// expect: error-call at 14
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { __assert_fail("0", "verifier_interface.c", 6, "reach_error"); }
void assume_abort_if_not(int condition) {
  if (!condition)
    abort();
}
void __VERIFIER_assert(int condition) {
  if (!(condition)) {
  ERROR: {
    reach_error();
    abort();
  }
  }
}
int main(void) {
  float x = __VERIFIER_nondet_float();
  int n = __VERIFIER_nondet_int();
  if (!(x >= 0.f && x <= 10.f) || n < 0 || n > 3)
    return 0;
  for (int i = 0; i < n; i++)
    x = x * 2;
  __VERIFIER_assert(x <= 79.f);
}
