/* A function that is called as one of the library, and is none of its. */

double sqrt(double x)
{
    double y = x * x; /* finds: overflow underflow */
    return y / (x - x); /* finds: divide-by-zero invalid */
}
