// expect: assertion-failure at 17
#include <assert.h>
#include <unistd.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  char letter[3] = "-a";
  letter[1] = (char)__VERIFIER_nondet_int();
  char *arguments[] = {"program", letter, 0};
  opterr = 0;
  switch (getopt(2, arguments, "ab")) {
  case 'a':
  case -1:
  case '?':
    break;
  default:
    assert(0);
  }
}
