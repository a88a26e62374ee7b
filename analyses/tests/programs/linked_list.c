// expect: holds
#include <assert.h>
#include <stdlib.h>
double __VERIFIER_nondet_double(void);

struct node {
  double value;
  struct node *next;
};
int main(void) {
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = __VERIFIER_nondet_double();
    n->next = head;
    head = n;
  }
  int positive = 0, other = 0;
  while (head) {
    struct node *next = head->next;
    if (head->value > 0)
      positive++;
    else
      other++;
    free(head);
    head = next;
  }
  assert(positive + other == 3);
}
