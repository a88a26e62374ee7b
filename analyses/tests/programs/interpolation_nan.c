// expect: invalid-deref at 11
double __VERIFIER_nondet_double(void);

// A NaN is below no limit, so the search runs off the table.
static const double limits[4] = {1, 2, 3, 1e300};
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x > 1e299)
    return 0;
  int i = 0;
  while (!(x <= limits[i]))
    i++;
  return i;
}
