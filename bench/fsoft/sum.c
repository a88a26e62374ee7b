/* Tables II and III: the sum of N unknown positive integers, cast and added in float; and what
 * the same machinery makes of sums of mixed sign, of dot products and of a branch in the loop. */
float sum(const int *x)
{
    float s = 0;
    for (int i = 0; i < N; i++)
        s += (float)x[i];
    return s;
}

float sum_mixed(const float *x)
{
    float s = 0;
    for (int i = 0; i < N; i++)
        s += x[i];
    return s;
}

float dot(const float *x, const float *y)
{
    float s = 0;
    for (int i = 0; i < N; i++)
        s += x[i] * y[i];
    return s;
}

float positive_part(const float *x)
{
    float s = 0;
    for (int i = 0; i < N; i++)
        if (x[i] > 0)
            s += x[i];
    return s;
}
