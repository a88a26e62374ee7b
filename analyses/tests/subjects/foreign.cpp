// A handler that only a function of another library leads to.
#include <locale>
double behind(double x) {
  try {
    std::locale named("nowhere");
  } catch (...) {
    return 1 / x;
  }
  return x * 0.5;
}
double alone(double x) { return x * 0.5; }
