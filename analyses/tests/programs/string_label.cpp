// expect: holds
#include <cassert>
#include <string>
extern "C" double __VERIFIER_nondet_double();
static std::string label(double x) {
  std::string text = "value is ";
  if (x < 0)
    text += "negative";
  else if (x > 0)
    text += "positive";
  else
    text += "zero or not a number";
  return text;
}
int main() {
  double x = __VERIFIER_nondet_double();
  std::string s = label(x);
  assert(s.size() > 9);
  assert((s.find("positive") != std::string::npos) == (x > 0));
}
