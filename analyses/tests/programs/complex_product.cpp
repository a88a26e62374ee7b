// expect: assertion-failure at 11
#include <cassert>
#include <complex>
extern "C" float __VERIFIER_nondet_float();
int main() {
  float re = __VERIFIER_nondet_float(), im = __VERIFIER_nondet_float();
  if (!(re >= 0 && re <= 4 && im >= 0 && im <= 4)) return 0;
  std::complex<float> z(re, im);
  float norm = std::norm(z);
  assert(norm >= 0);
  assert(norm < 32);
}
