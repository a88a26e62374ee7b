static double twin(double x) { return x + x; }
double other(double x) { return twin(x); }
