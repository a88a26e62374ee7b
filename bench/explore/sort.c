/* Many paths: insertion sort of unknown floats. */
float __VERIFIER_nondet_float(void);
void reach_error(void);

int main(void) {
    float a[6];
    for (int i = 0; i < 6; i++) a[i] = __VERIFIER_nondet_float();
    for (int i = 1; i < 6; i++) {
        float x = a[i];
        int j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
    return 0;
}
