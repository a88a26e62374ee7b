// Errors that are raised with a message in front of what is computed: nothing has to be known of the
// message.
#include <cstdint>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
static std::string number(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}
static void replace(std::string &text, const std::string &what, const std::string &by) {
  for (std::string::size_type at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}
static double raise(const char *function, const char *message, double value) {
  std::string text("in function ");
  text += function;
  text += ": ";
  text += message;
  replace(text, "%1%", number(value));
  throw std::domain_error(text);
}
double guarded(double x) {
  if (!(x >= 1 && x <= 2)) raise("guarded", "%1% is not between 1 and 2", x);
  return 1 / (x - 0.5);
}
// Only who follows the path knows the one x that comes here; it is not 1.
double coded(double x) {
  if (!(x > 0)) return raise("coded", "%1% is not positive", x);
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if ((bits ^ bits >> 1) != 0x6018000000000000) return 0;
  return 1 / (x - 1);
}
// What the handler does is asked about, too.
double handled(double x) {
  try {
    return x < 4 ? raise("handled", "%1% is below 4", x) : 1 / x; // finds: underflow
  } catch (const std::domain_error &) {
    return 1 / x; // finds: divide-by-zero overflow underflow
  }
}
