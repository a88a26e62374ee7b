// expect: assertion-failure at 18
#include <assert.h>
double __VERIFIER_nondet_double(void);
long syscall(long number, ...) { return number; }
int poll(void *list, unsigned long count, int time) { return (void)list, (void)count, time; }
int waitpid(int process, int *status, int options) { return (void)status, (void)options, process; }
int kill(int process, int number) { return (void)process, number; }
char *getenv(const char *name) { return (void)name, (char *)0; }
int prctl(int option, ...) { return option; }
int getpid(void) { return 1; }
int setrlimit(int which, const void *limit) { return (void)limit, which; }
int sigaction(int number, const void *action, void *old) { return (void)action, (void)old, number; }
int dup2(int from, int to) { return (void)to, from; }
int raise(int number) { return number; }
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x > 1.5 && x < 1.75)
    assert(getpid() == 2);
}
