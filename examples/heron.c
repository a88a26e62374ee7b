/* The area of a triangle from its sides, by Heron's formula: is it ever not a number, for
 * sides that do form a triangle?
 *
 *     nanoscope test examples/heron.c
 *
 * finds sides for which it is (s - c is negative, by rounding alone), and that the version
 * with sorted sides, Kahan's, has no such flaw within its path. */

#include <assert.h>
#include <klee/klee.h>

/* What is under Heron's square root. */
static float squared_area(float a, float b, float c)
{
    float s = (a + b + c) / 2;
    return s * (s - a) * (s - b) * (s - c);
}

int main(void)
{
    float a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    klee_assume(1 <= a && a <= b && b <= c && c <= 1000);
    klee_assume((double)a + b >= c);
    assert(squared_area(a, b, c) >= 0);
    return 0;
}
