/* Subjects that crash, loop, leave or call what is not there. */
#include <stdlib.h>

double loops(double x) {
    while (x > 1.0)
        x = x + 1.0 - 1.0;
    return 1.0 / x; /* finds: overflow underflow divide-by-zero */
}

double crashes(double x) {
    if (x > 0)
        return *(volatile double *)8;
    return 1.0 / x; /* finds: overflow underflow divide-by-zero */
}

double leaves(double x) {
    if (x > 0)
        exit(3);
    return 1.0 / x; /* finds: overflow underflow divide-by-zero */
}

double nowhere(double x);

double calls_nowhere(double x) {
    if (x > 0)
        return nowhere(x);
    return 1.0 / x; /* finds: overflow underflow divide-by-zero */
}
