// Instances of libstdc++'s templates, whose code a program leaves to the library.

#include <string>

template class std::basic_string<char>;
