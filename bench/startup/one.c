/* A file of one function, as short as they come. */

double mean(double x, double y)
{
    return (x + y) / 2.0;
}
