/* Known values only: integers and memory. */
static unsigned char composite[200000];

int main(void) {
    int count = 0;
    for (int i = 2; i < 200000; i++) {
        if (composite[i]) continue;
        count++;
        for (int j = 2 * i; j < 200000; j += i) composite[j] = 1;
    }
    return count != 17984;
}
