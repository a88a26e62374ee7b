// expect: assertion-failure at 16
// The program's own memory management, which is too small for anybody else's needs.
#include <assert.h>
#include <stddef.h>
double __VERIFIER_nondet_double(void);
static double pool[8];
static int taken;
void *malloc(size_t size) { return size == 8 && taken < 8 ? &pool[taken++] : NULL; }
void free(void *place) { (void)place; }
void *mmap(void *at, size_t size, int a, int b, int c, long d) { return (void)at, (void)size, (void)a, (void)b, (void)c, (void)d, NULL; }
int fork(void) { return 5; }
int main(void) {
  double *x = malloc(8);
  *x = __VERIFIER_nondet_double();
  if (*x > 1.5 && *x < 1.75)
    assert(fork() == 5 && *x != 1.625);
  free(x);
}
