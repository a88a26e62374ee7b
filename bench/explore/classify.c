/* Many paths: integers. */
int __VERIFIER_nondet_int(void);

int main(void) {
    int bits = 0;
    for (int i = 0; i < 10; i++) {
        int x = __VERIFIER_nondet_int();
        if (x > i) bits++;
        if (x % 7 == 3) bits += 2;
    }
    return bits;
}
