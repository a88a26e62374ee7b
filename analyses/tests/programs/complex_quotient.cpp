// expect: holds
#include <cassert>
#include <complex>
extern "C" float __VERIFIER_nondet_float();
int main() {
  float re = __VERIFIER_nondet_float(), im = __VERIFIER_nondet_float();
  if (!(re >= -4 && re <= 4 && im >= -4 && im <= 4)) return 0;
  std::complex<float> z(re, im), two(2, 0);
  std::complex<float> half = z / two;
  assert(half.real() == re / 2 && half.imag() == im / 2);
}
