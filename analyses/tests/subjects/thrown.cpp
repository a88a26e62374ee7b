// What is thrown is caught where its type says, and what is there is asked about.
#include <stdexcept>
struct Large { double value; };
static double checked(double x) {
  if (x > 1e200) throw Large{x};
  if (x < -100) throw std::runtime_error("small");
  return x;
}
double caught(double x) {
  try {
    return checked(x) + 1;
  } catch (const Large &large) {
    return large.value * large.value; // finds: overflow
  } catch (const std::exception &) {
    return 1 / (x + 200); // finds: divide-by-zero underflow
  }
}
