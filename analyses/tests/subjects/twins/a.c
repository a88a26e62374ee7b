static double twin(double x) { return x * x; }
double one(double x) { return twin(x); }
