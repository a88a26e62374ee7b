// expect: holds
#include <assert.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char *arguments[] = {"program", "input", "--gain=3", "-v", "-o", "out", "rest", 0};
  static const struct option known[] = {{"gain", required_argument, 0, 'g'}, {0, 0, 0, 0}};
  int gain = 0, verbose = 0, option;
  const char *output = "";
  while ((option = getopt_long(7, arguments, "vo:", known, 0)) != -1)
    switch (option) {
    case 'g':
      gain = optarg[0] - '0';
      break;
    case 'v':
      verbose = 1;
      break;
    case 'o':
      output = optarg;
      break;
    default:
      assert(0);
    }
  assert(gain == 3 && verbose && !strcmp(output, "out"));
  assert(optind == 5 && !strcmp(arguments[5], "input") && !strcmp(arguments[6], "rest"));
  assert(!strcmp(setlocale(LC_ALL, "C"), "C") && !strcmp(nl_langinfo(RADIXCHAR), "."));
  if (isatty(1))
    assert(0);
}
