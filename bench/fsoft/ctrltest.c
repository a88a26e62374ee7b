/* F-Soft's motivating example, step by step as in its section IV-B. */
int ctrltest(float a1, float a2, float b1, float b2, float c1, float c2)
{
    float a1b2 = a1 * b2;
    float a2b1 = a2 * b1;
    float denom = a1b2 - a2b1;
    float numer = c1 * b2 - c2 * b1;
    float x = numer / denom;
    if (x >= 0.0f)
        return 1;
    return 0;
}
