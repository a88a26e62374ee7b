double gain(double in, double out);
double helper(double x) { return 1 / x; }
int main(void) { return gain(1, helper(2)) > 0; }
