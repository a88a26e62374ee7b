// dynamic_cast, by the tables of types that C++ programs carry (Itanium C++ ABI, 2.9.5).

#include "library.h"

struct type {
  const void *kind;
  const char *name;
};

// A class with one public base at its beginning.
struct derived {
  struct type type;
  const struct type *base;
};

// A class with other bases: their types, and their places (with flags in the lowest byte).
struct joined {
  struct type type;
  unsigned flags, count;
  struct {
    const struct type *type;
    long place;
  } bases[];
};

enum { VIRTUAL = 1, PUBLIC = 2 };

extern const void *const _ZTVN10__cxxabiv120__si_class_type_infoE[];
extern const void *const _ZTVN10__cxxabiv121__vmi_class_type_infoE[];

struct search {
  const struct type *from, *to;
  const char *part;
  // Objects of the wanted type that the part is a public base of, and those that are public bases
  // of the whole: one, and how many (two stand for more).
  const char *down, *across;
  int downs, acrosses;
  // Whether the part is a public base of the whole.
  int is_public;
};

static void found(const char **object, int *count, const char *at) {
  if (*count == 0 || *object != at)
    ++*count;
  *object = at;
}

// Looks at an object and its bases. `holder` is the wanted object that publicly holds it, if any.
static void visit(struct search *s, const struct type *type, const char *at, const char *holder,
                  int is_public) {
  if (type == s->to) {
    holder = at;
    if (is_public)
      found(&s->across, &s->acrosses, at);
  }
  if (type == s->from && at == s->part) {
    s->is_public |= is_public;
    if (holder)
      found(&s->down, &s->downs, holder);
    return;
  }
  if (type->kind == &_ZTVN10__cxxabiv120__si_class_type_infoE[2]) {
    visit(s, ((const struct derived *)type)->base, at, holder, is_public);
  } else if (type->kind == &_ZTVN10__cxxabiv121__vmi_class_type_infoE[2]) {
    const struct joined *class = (const struct joined *)type;
    for (unsigned i = 0; i < class->count; i++) {
      long place = class->bases[i].place;
      long offset = place >> 8;
      if (place & VIRTUAL)
        offset = *(const long *)(*(const char *const *)at + offset);
      int shown = (place & PUBLIC) != 0;
      visit(s, class->bases[i].type, at + offset, shown ? holder : 0, is_public & shown);
    }
  }
}

LIBRARY void *__dynamic_cast(const void *part, const struct type *from, const struct type *to,
                             long hint) {
  // Before an object's functions stand the way to its beginning, and its type.
  const long *table = *(const long *const *)part;
  struct search s = {from, to, part, 0, 0, 0, 0, 0};
  visit(&s, (const struct type *)table[-1], (const char *)part + table[-2], 0, 1);
  if (s.downs > 0)
    return (void *)(s.downs == 1 ? s.down : 0);
  return (void *)(s.is_public && s.acrosses == 1 ? s.across : 0);
}
