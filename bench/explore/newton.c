/* Hard questions: Newton's square root on unknown doubles. */
double __VERIFIER_nondet_double(void);
void __VERIFIER_assume(int);
void reach_error(void);

int main(void) {
    double a = __VERIFIER_nondet_double();
    __VERIFIER_assume(a >= 0.5 && a <= 2.0);
    double x = a;
    for (int i = 0; i < 3; i++) x = 0.5 * (x + a / x);
    double error = x * x - a;
    if (error < 0) error = -error;
    if (error > 0.5) reach_error();
    return 0;
}
