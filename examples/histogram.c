/* Counts measurements from 0 up to 1 in ten bins.
 *
 *     nanoscope test examples/histogram.c
 *
 * finds the measurement just below 1 that becomes 10 when it is scaled and rounded to single
 * precision, so that the bin after the last is counted up; and that nothing else goes wrong.
 * With `double scaled` there is no such measurement, and `nanoscope test` says so. */

#include <klee/klee.h>

static int bins[10];

static void count(double measurement)
{
    if (!(measurement >= 0 && measurement < 1))
        return; /* NaN included */
    float scaled = measurement * 10;
    bins[(int)scaled]++;
}

int main(void)
{
    double measurement;
    klee_make_symbolic(&measurement, sizeof measurement, "measurement");
    count(measurement);
    return 0;
}
