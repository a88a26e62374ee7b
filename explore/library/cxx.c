// What libstdc++ has no template for: the trees of std::map and std::set, the links of std::list.
// A tree is kept in order and not in balance: nothing in a program can tell.

#include "library.h"

enum { RED = 0, BLACK = 1 };

struct node {
  int colour;
  struct node *parent, *left, *right;
};

// The node before the first, which all of a tree hangs on: its parent is the root, left and
// right are the first and last nodes. It alone is red and its grandparent.
static struct node *first(struct node *x) {
  while (x->left)
    x = x->left;
  return x;
}

static struct node *last(struct node *x) {
  while (x->right)
    x = x->right;
  return x;
}

static struct node *next(struct node *x) {
  if (x->right)
    return first(x->right);
  struct node *above = x->parent;
  while (x == above->right) {
    x = above;
    above = above->parent;
  }
  return x->right == above ? x : above;
}

static struct node *previous(struct node *x) {
  if (x->colour == RED && x->parent->parent == x)
    return x->right;
  if (x->left)
    return last(x->left);
  struct node *above = x->parent;
  while (x == above->left) {
    x = above;
    above = above->parent;
  }
  return above;
}

LIBRARY struct node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct node *x) {
  return next(x);
}
LIBRARY struct node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(struct node *x) {
  return next(x);
}
LIBRARY struct node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct node *x) {
  return previous(x);
}
LIBRARY struct node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(struct node *x) {
  return previous(x);
}

LIBRARY void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
    _Bool to_the_left, struct node *x, struct node *above, struct node *head) {
  x->parent = above;
  x->left = x->right = 0;
  x->colour = RED;
  if (above == head) {
    x->colour = BLACK;
    head->parent = head->left = head->right = x;
  } else if (to_the_left) {
    above->left = x;
    if (above == head->left)
      head->left = x;
  } else {
    above->right = x;
    if (above == head->right)
      head->right = x;
  }
}

// Puts `x`, or nothing, where `old` is.
static void replace(struct node *old, struct node *x, struct node *head) {
  struct node *above = old->parent;
  if (head->parent == old) {
    head->parent = x;
    if (x)
      x->colour = BLACK;
  } else if (above->left == old) {
    above->left = x;
  } else {
    above->right = x;
  }
  if (x)
    x->parent = above;
}

LIBRARY struct node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(
    struct node *x, struct node *head) {
  if (head->left == x)
    head->left = x->right ? first(x->right) : x->parent;
  if (head->right == x)
    head->right = x->left ? last(x->left) : x->parent;
  if (!x->left) {
    replace(x, x->right, head);
  } else if (!x->right) {
    replace(x, x->left, head);
  } else {
    struct node *heir = first(x->right);
    if (heir != x->right) {
      replace(heir, heir->right, head);
      heir->right = x->right;
      heir->right->parent = heir;
    }
    replace(x, heir, head);
    heir->left = x->left;
    heir->left->parent = heir;
  }
  return x;
}

struct link {
  struct link *next, *previous;
};

LIBRARY void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct link *x, struct link *before) {
  x->next = before;
  x->previous = before->previous;
  before->previous->next = x;
  before->previous = x;
}

LIBRARY void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct link *x) {
  x->previous->next = x->next;
  x->next->previous = x->previous;
}

LIBRARY void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct link *before,
                                                                 struct link *from,
                                                                 struct link *to) {
  if (before == to)
    return;
  struct link *end = to->previous;
  from->previous->next = to;
  to->previous = from->previous;
  before->previous->next = from;
  from->previous = before->previous;
  end->next = before;
  before->previous = end;
}
