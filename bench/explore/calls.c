/* Known values only: calls. */
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(void) { return fibonacci(24) != 46368; }
