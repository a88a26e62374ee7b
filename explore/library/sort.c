// stdlib.h: sorting and searching.

#include "library.h"

typedef int comparison(const void *, const void *);

// A merge sort that compares the same elements in the same order as the machine's own, so that
// an inconsistent comparison (of NaNs, say) leads to the same order.
static void sort(char *base, size_t count, size_t size, comparison *compare, char *scratch) {
  if (count <= 1)
    return;
  size_t left = count / 2, right = count - left;
  char *a = base, *b = base + left * size, *to = scratch;
  sort(a, left, size, compare, scratch);
  sort(b, right, size, compare, scratch);
  while (left > 0 && right > 0) {
    if (compare(a, b) <= 0) {
      memcpy(to, a, size);
      a += size;
      left--;
    } else {
      memcpy(to, b, size);
      b += size;
      right--;
    }
    to += size;
  }
  if (left > 0)
    memcpy(to, a, left * size);
  memcpy(base, scratch, (count - right) * size);
}

LIBRARY void qsort(void *base, size_t count, size_t size, comparison *compare) {
  if (count <= 1 || size == 0)
    return;
  char *scratch = malloc(count * size);
  sort(base, count, size, compare, scratch);
  free(scratch);
}

LIBRARY void *bsearch(const void *key, const void *base, size_t count, size_t size,
                      comparison *compare) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *at = (const char *)base + middle * size;
    int order = compare(key, at);
    if (order < 0)
      high = middle;
    else if (order > 0)
      low = middle + 1;
    else
      return (void *)at;
  }
  return 0;
}
