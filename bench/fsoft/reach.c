/* Table I: the sum of an integer array of unknown content and length reaches a target. Each
 * element adds at most INT_MAX, so that TARGET says how many rounds of the loop it takes. */
#include <assert.h>

void reach(const int *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += (float)x[i];
    assert(!(sum >= TARGET));
}
