/* F-Soft's motivating example, step by step as in its section IV-B. STEP is the type that the
 * steps are computed in: float, or long double for what x87 registers hold. */
#ifndef STEP
#define STEP float
#endif

float ctrl_x(float a1, float a2, float b1, float b2, float c1, float c2)
{
    STEP a1b2 = (STEP)a1 * b2;
    STEP a2b1 = (STEP)a2 * b1;
    STEP denom = a1b2 - a2b1;
    STEP numer = (STEP)c1 * b2 - (STEP)c2 * b1;
    return numer / denom;
}

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
