/* Known values only: floats in registers. */
int main(void) {
    int inside = 0;
    for (int row = 0; row < 60; row++) {
        for (int column = 0; column < 60; column++) {
            double cx = column / 20.0 - 2.0, cy = row / 20.0 - 1.5, x = 0, y = 0;
            int n = 0;
            while (n < 200 && x * x + y * y < 4) {
                double next = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = next;
                n++;
            }
            inside += n == 200;
        }
    }
    return inside == 0;
}
