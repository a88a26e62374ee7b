/* The rival: a plain loop over points in memory that calls the function and keeps its
 * result. Prints nanoseconds a call.
 *
 *     plain LOW HIGH    numbers between the two, each as likely
 *     plain FILE        the points in a file, as native/examples/points.rs writes them
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern double polynomial(double x, double y);

enum { POINTS = 4096, CHUNKS = 64, REPEATS = 15 };

static double points[POINTS][2];
volatile double kept;

/* The next points: random ones, or from a file. Zero at its end. */
static int refill(FILE *file, double low, double high)
{
    if (file)
        return fread(points, sizeof points, 1, file) == 1;
    static int chunk;
    static uint64_t state = 1;
    for (int i = 0; i < 2 * POINTS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        points[i / 2][i % 2] = low + (high - low) * ((double)(state >> 11) / 9007199254740992.0);
    }
    return chunk++ < CHUNKS;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **arguments)
{
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (count < 2 || (count == 2 && !file)) {
        fprintf(stderr, "usage: plain LOW HIGH, or plain FILE\n");
        return 2;
    }
    double low = file ? 0 : atof(arguments[1]), high = file ? 0 : atof(arguments[2]);
    double sum = 0;
    int chunks = 0;
    for (; refill(file, low, high); chunks++) {
        double took[REPEATS];
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double start = now();
            for (int i = 0; i < POINTS; i++)
                kept = polynomial(points[i][0], points[i][1]);
            took[repeat] = (now() - start) / POINTS;
        }
        qsort(took, REPEATS, sizeof took[0], order);
        sum += took[REPEATS / 2]; /* the median: others disturb some */
    }
    printf("%.2f\n", sum / chunks);
    return 0;
}
