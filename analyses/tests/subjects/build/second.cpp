extern "C" float gain(float in, float out);
double helper(double x) { return x * 2; }
int main() { return gain(1, static_cast<float>(helper(2))) > 0; }
