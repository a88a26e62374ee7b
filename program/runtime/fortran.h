/* What the bodies of flang's run-time functions share: descriptors, types, memory.
 *
 * The bodies are linked into a Fortran program's bitcode and inlined, so that each operation in
 * them is a site at the line of the call, and engines and machine run the same code. Arithmetic and
 * its order are meant to be those of LLVM 19's own run-time. What prints or ends the program is
 * not here. */

#include <stdint.h>

typedef unsigned char byte;
typedef int64_t index;

/* ISO_Fortran_binding's descriptor. */
struct descriptor {
    byte *base;
    uint64_t length; /* of an element */
    int32_t version;
    int8_t rank, type, attribute, extra;
    struct {
        index lower, extent, stride; /* in bytes */
    } dim[15];
};
typedef const struct descriptor *array;

#define INLINE static inline __attribute__((always_inline))
#define BODY __attribute__((always_inline))

INLINE index elements(array a) {
    index count = 1;
    for (int r = 0; r < a->rank; r++)
        count *= a->dim[r].extent > 0 ? a->dim[r].extent : 0;
    return count;
}

/* The element at a position in array element order. */
INLINE byte *element(array a, index n) {
    if (a->rank == 1)
        return a->base + n * a->dim[0].stride;
    byte *at = a->base;
    for (int r = 0; r < a->rank; r++) {
        index extent = a->dim[r].extent;
        at += n % extent * a->dim[r].stride;
        n /= extent;
    }
    return at;
}

INLINE int is_true(array a, const byte *at) {
    switch (a->length) {
    case 1: return *(const int8_t *)at != 0;
    case 2: return *(const int16_t *)at != 0;
    case 4: return *(const int32_t *)at != 0;
    default: return *(const int64_t *)at != 0;
    }
}

INLINE int is_masked(array mask, index n) {
    if (!mask)
        return 0;
    return !is_true(mask, mask->rank == 0 ? mask->base : element(mask, n));
}

void *malloc(uint64_t);
void free(void *);
void _FortranAReportFatalUserError(const char *message, const char *file, int line);

/* CFI's attributes and types. */
enum { OTHER, POINTER, ALLOCATABLE };
enum {
    INTEGER_1 = 7, INTEGER_2, INTEGER_4, INTEGER_8,
    REAL_4 = 27, REAL_8,
    COMPLEX_4 = 34, COMPLEX_8,
    LOGICAL_1 = 39, CHARACTER_1, STRUCTURE = 42,
};

/* An allocatable without its memory; its bounds are still to come. */
INLINE void begin(struct descriptor *d, uint64_t length, int type, int rank) {
    d->base = 0;
    d->length = length;
    d->version = 20180515;
    d->rank = (int8_t)rank;
    d->type = (int8_t)type;
    d->attribute = ALLOCATABLE;
    d->extra = 0;
}

INLINE void set_bounds(struct descriptor *d, int r, index lower, index upper) {
    d->dim[r].lower = upper >= lower ? lower : 1;
    d->dim[r].extent = upper >= lower ? upper - lower + 1 : 0;
}

/* Memory for what a descriptor describes, without gaps. */
INLINE void obtain(struct descriptor *d) {
    index stride = (index)d->length;
    for (int r = 0; r < d->rank; r++) {
        d->dim[r].stride = stride;
        stride *= d->dim[r].extent;
    }
    d->base = malloc(stride > 0 ? (uint64_t)stride : 1);
}

/* An allocatable result of a type and shape. */
INLINE void establish(struct descriptor *result, array like, int rank, index first, index second) {
    begin(result, like->length, like->type, rank);
    set_bounds(result, 0, 1, first);
    if (rank == 2)
        set_bounds(result, 1, 1, second);
    obtain(result);
}
