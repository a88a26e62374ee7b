// expect: assertion-failure at 21
#include <assert.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  int state = 0;
  for (int i = 0; i < 4; i++) {
    int event = __VERIFIER_nondet_int();
    switch (state) {
    case 0:
      state = event == 7 ? 1 : 0;
      break;
    case 1:
      state = event == 42 ? 2 : 0;
      break;
    case 2:
      state = event == -1 ? 3 : 1;
      break;
    }
  }
  assert(state != 3);
}
