/* Transformational intrinsics that move elements, reductions along a dimension, and places of
 * extremes. */

/* A result of a type and length of elements, and of the shape of another but for one dimension. */
INLINE void like(struct descriptor *result, array source, int rank) {
    begin(result, source->length, source->type, rank);
    if (type_of(source))
        set_type(result, type_of(source));
}
INLINE void move_element(struct descriptor *result, byte *to, const byte *from) {
    __builtin_memcpy(to, from, result->length);
    if (type_of(result) && !type_of(result)->needs_no_destruction)
        separate(to, type_of(result));
}

BODY void _FortranATranspose(struct descriptor *result, array a, const char *file, int line) {
    index rows = a->dim[0].extent, columns = a->dim[1].extent;
    like(result, a, 2);
    set_bounds(result, 0, 1, columns);
    set_bounds(result, 1, 1, rows);
    obtain(result);
    for (index i = 0; i < rows; i++)
        for (index j = 0; j < columns; j++)
            move_element(result,
                         result->base + j * result->dim[0].stride + i * result->dim[1].stride,
                         a->base + i * a->dim[0].stride + j * a->dim[1].stride);
}

BODY void _FortranAReshape(struct descriptor *result, array source, array shape, array pad,
                           array order, const char *file, int line) {
    int rank = (int)shape->dim[0].extent, by[15];
    like(result, source, rank);
    for (int r = 0; r < rank; r++) {
        set_bounds(result, r, 1, integer_at(shape, r));
        by[r] = order ? (int)integer_at(order, r) - 1 : r;
    }
    obtain(result);
    index from = elements(source), fill = pad ? elements(pad) : 0;
    for (index n = 0, count = elements(result); n < count; n++) {
        byte *to = result->base;
        index left = n;
        for (int r = 0; r < rank; r++) {
            index extent = result->dim[by[r]].extent;
            to += left % extent * result->dim[by[r]].stride;
            left /= extent;
        }
        if (n < from)
            move_element(result, to, element(source, n));
        else if (fill)
            move_element(result, to, element(pad, (n - from) % fill));
        else
            _FortranAReportFatalUserError("RESHAPE: not enough elements", file, line);
    }
}

/* The remainder that has the sign of the divisor. */
INLINE index modulo(index a, index b) {
    index left = a % b;
    return left < 0 ? left + b : left;
}

BODY void _FortranACshiftVector(struct descriptor *result, array source, int64_t shift,
                                const char *file, int line) {
    index count = source->dim[0].extent;
    like(result, source, 1);
    set_bounds(result, 0, 1, count);
    obtain(result);
    for (index n = 0; n < count; n++)
        move_element(result, element(result, n), element(source, modulo(n + shift, count)));
}
BODY void _FortranAEoshiftVector(struct descriptor *result, array source, int64_t shift,
                                 array boundary, const char *file, int line) {
    index count = source->dim[0].extent;
    like(result, source, 1);
    set_bounds(result, 0, 1, count);
    obtain(result);
    for (index n = 0; n < count; n++) {
        index from = n + shift;
        byte *to = element(result, n);
        if (from >= 0 && from < count)
            move_element(result, to, element(source, from));
        else if (boundary)
            move_element(result, to, boundary->base);
        else
            __builtin_memset(to, source->type == CHARACTER_1 ? ' ' : 0, result->length);
    }
}

/* What an array has as number n when one dimension is left out: the position with that dimension at
 * its first. */
INLINE byte *without(array a, int dim, index n) {
    byte *at = a->base;
    for (int r = 0; r < a->rank; r++)
        if (r != dim) {
            index extent = a->dim[r].extent;
            at += n % extent * a->dim[r].stride;
            n /= extent;
        }
    return at;
}
INLINE index elements_without(array a, int dim) {
    index count = 1;
    for (int r = 0; r < a->rank; r++)
        if (r != dim)
            count *= a->dim[r].extent > 0 ? a->dim[r].extent : 0;
    return count;
}

#define COMMA ,
#define SHIFTED(NAME, BOUNDARY_ARGUMENT, MOVE)                                        \
    BODY void NAME(struct descriptor *result, array source, array shift, BOUNDARY_ARGUMENT      \
                   int dim, const char *file, int line) {                                       \
        like(result, source, source->rank);                                                     \
        for (int r = 0; r < source->rank; r++)                                                  \
            set_bounds(result, r, 1, source->dim[r].extent);                                    \
        obtain(result);                                                                         \
        index extent = source->dim[dim - 1].extent;                                             \
        for (index n = 0, count = elements_without(source, dim - 1); n < count; n++) {          \
            index by = shift->rank ? integer_at(shift, n) : integer_at(shift, 0);               \
            byte *to = without(result, dim - 1, n);                                             \
            const byte *from = without(source, dim - 1, n);                                     \
            for (index k = 0; k < extent; k++) {                                                \
                byte *place = to + k * result->dim[dim - 1].stride;                             \
                MOVE                                                                            \
            }                                                                                   \
        }                                                                                       \
    }
SHIFTED(_FortranACshift, , {
    move_element(result, place, from + modulo(k + by, extent) * source->dim[dim - 1].stride);
})
SHIFTED(_FortranAEoshift, array boundary COMMA, {
    if (k + by >= 0 && k + by < extent)
        move_element(result, place, from + (k + by) * source->dim[dim - 1].stride);
    else if (boundary)
        move_element(result, place, boundary->rank ? element(boundary, n) : boundary->base);
    else
        __builtin_memset(place, source->type == CHARACTER_1 ? ' ' : 0, result->length);
})

BODY void _FortranAPack(struct descriptor *result, array source, array mask, array vector,
                        const char *file, int line) {
    index count = elements(source), chosen = 0;
    _Bool all = mask->rank == 0 && is_true(mask, mask->base);
    for (index n = 0; n < count; n++)
        chosen += mask->rank ? is_true(mask, element(mask, n)) : all;
    index size = vector ? vector->dim[0].extent : chosen;
    like(result, source, 1);
    set_bounds(result, 0, 1, size);
    obtain(result);
    index next = 0;
    for (index n = 0; n < count; n++)
        if (mask->rank ? is_true(mask, element(mask, n)) : all)
            move_element(result, element(result, next++), element(source, n));
    for (; next < size; next++)
        move_element(result, element(result, next), element(vector, next));
}
BODY void _FortranAUnpack(struct descriptor *result, array vector, array mask, array field,
                          const char *file, int line) {
    like(result, vector, mask->rank);
    for (int r = 0; r < mask->rank; r++)
        set_bounds(result, r, 1, mask->dim[r].extent);
    obtain(result);
    index next = 0;
    for (index n = 0, count = elements(mask); n < count; n++)
        move_element(result, element(result, n),
                     is_true(mask, element(mask, n)) ? element(vector, next++)
                     : field->rank                   ? element(field, n)
                                                     : field->base);
}
BODY void _FortranASpread(struct descriptor *result, array source, int dim, int64_t copies,
                          const char *file, int line) {
    index times = copies > 0 ? copies : 0;
    like(result, source, source->rank + 1);
    for (int r = 0, s = 0; r <= source->rank; r++)
        set_bounds(result, r, 1, r == dim - 1 ? times : source->dim[s++].extent);
    obtain(result);
    for (index n = 0, count = elements(source); n < count; n++) {
        byte *to = without(result, dim - 1, n);
        for (index k = 0; k < times; k++)
            move_element(result, to + k * result->dim[dim - 1].stride,
                         source->rank ? element(source, n) : source->base);
    }
}

/* From here on numbers are computed. */
#undef BODY
#define BODY __attribute__((always_inline))

/* A result of a reduction along a dimension. */
INLINE void reduced(struct descriptor *result, array a, int dim, uint64_t length, int type) {
    begin(result, length, type, a->rank - 1);
    for (int r = 0, s = 0; r < a->rank; r++)
        if (r != dim)
            set_bounds(result, s++, 1, a->dim[r].extent);
    obtain(result);
}
INLINE _Bool masked_at(array mask, int dim, index n, index k) {
    if (!mask)
        return 0;
    const byte *at = mask->base;
    if (mask->rank)
        at = without(mask, dim, n) + k * mask->dim[dim].stride;
    return !is_true(mask, at);
}

#define ALONG(T, FIRST, STEP, RESULT)                                                           \
    for (index n = 0, count = elements_without(a, dim - 1); n < count; n++) {                   \
        const byte *from = without(a, dim - 1, n);                                              \
        FIRST;                                                                                  \
        for (index k = 0; k < a->dim[dim - 1].extent; k++)                                      \
            if (!masked_at(mask, dim - 1, n, k)) {                                              \
                T x = *(const T *)(from + k * a->dim[dim - 1].stride);                          \
                STEP;                                                                           \
            }                                                                                   \
        ((T *)result->base)[n] = RESULT;                                                        \
    }
#define ALONG_TYPES(NAME, REAL, WHOLE)                                                          \
    BODY void NAME(struct descriptor *result, array a, int dim, const char *file, int line,     \
                   array mask) {                                                                \
        reduced(result, a, dim - 1, a->length, a->type);                                        \
        switch (a->type) {                                                                      \
        case REAL_4: REAL(float, __FLT_MAX__) break;                                            \
        case REAL_8: REAL(double, __DBL_MAX__) break;                                           \
        case INTEGER_4: WHOLE(int32_t, INT32_MIN, INT32_MAX) break;                             \
        case INTEGER_8: WHOLE(int64_t, INT64_MIN, INT64_MAX) break;                             \
        default: _FortranAReportFatalUserError("reduction of this type", file, line);           \
        }                                                                                       \
    }
#define SUM_ALONG(T, MOST) ALONG(T, T sum = 0; T correction = 0, KAHAN(T, sum, correction, x), sum)
#define SUM_WHOLE(T, LEAST, MOST) ALONG(T, T sum = 0, sum += x, sum)
#define PRODUCT_ALONG(T, MOST) ALONG(T, T product = 1, product *= x, product)
#define PRODUCT_WHOLE(T, LEAST, MOST) ALONG(T, T product = 1, product *= x, product)
#define EXTREME(T, FIRST, OP)                                                                   \
    ALONG(T, T found = FIRST; _Bool any = 0, if (!any || x OP found || found != found) found = x; \
          any = 1, found)
#define MAX_ALONG(T, MOST) EXTREME(T, -MOST, >)
#define MIN_ALONG(T, MOST) EXTREME(T, MOST, <)
#define MAX_WHOLE(T, LEAST, MOST) EXTREME(T, LEAST, >)
#define MIN_WHOLE(T, LEAST, MOST) EXTREME(T, MOST, <)
ALONG_TYPES(_FortranASumDim, SUM_ALONG, SUM_WHOLE)
ALONG_TYPES(_FortranAProductDim, PRODUCT_ALONG, PRODUCT_WHOLE)
ALONG_TYPES(_FortranAMaxvalDim, MAX_ALONG, MAX_WHOLE)
ALONG_TYPES(_FortranAMinvalDim, MIN_ALONG, MIN_WHOLE)

#define TRUTH_ALONG(NAME, FIRST, STEP)                                                          \
    BODY void NAME(struct descriptor *result, array a, int dim, const char *file, int line) {   \
        reduced(result, a, dim - 1, a->length, a->type);                                        \
        for (index n = 0, count = elements_without(a, dim - 1); n < count; n++) {               \
            const byte *from = without(a, dim - 1, n);                                          \
            int64_t found = FIRST;                                                              \
            for (index k = 0; k < a->dim[dim - 1].extent; k++) {                                \
                _Bool x = is_true(a, from + k * a->dim[dim - 1].stride);                        \
                STEP;                                                                           \
            }                                                                                   \
            put_integer(element(result, n), (int)result->length, found);                        \
        }                                                                                       \
    }
TRUTH_ALONG(_FortranAAnyDim, 0, found |= x)
TRUTH_ALONG(_FortranAAllDim, 1, found &= x)
BODY void _FortranACountDim(struct descriptor *result, array a, int dim, int kind, const char *file,
                            int line) {
    reduced(result, a, dim - 1, (uint64_t)kind, type_code(IS_INTEGER, kind));
    for (index n = 0, count = elements_without(a, dim - 1); n < count; n++) {
        const byte *from = without(a, dim - 1, n);
        int64_t found = 0;
        for (index k = 0; k < a->dim[dim - 1].extent; k++)
            found += is_true(a, from + k * a->dim[dim - 1].stride);
        put_integer(element(result, n), kind, found);
    }
}

/* Writes a position in array element order as subscripts; zeros for none. */
INLINE void put_place(struct descriptor *result, array a, int kind, index n) {
    begin(result, (uint64_t)kind, type_code(IS_INTEGER, kind), 1);
    set_bounds(result, 0, 1, a->rank);
    obtain(result);
    for (int r = 0; r < a->rank; r++) {
        index extent = a->dim[r].extent > 0 ? a->dim[r].extent : 1;
        put_integer(result->base + r * kind, kind, n < 0 ? 0 : n % extent + 1);
        n = n < 0 ? n : n / extent;
    }
}

/* The place of an extreme: its first, or with BACK its last one; a number rather than a NaN. */
#define PLACE(NAME, T, OP)                                                                      \
    BODY void NAME(struct descriptor *result, array a, int kind, const char *file, int line,    \
                   array mask, _Bool back) {                                                    \
        index found = -1;                                                                       \
        T best = 0;                                                                             \
        for (index n = 0, count = elements(a); n < count; n++)                                  \
            if (!is_masked(mask, n)) {                                                          \
                T x = *(const T *)element(a, n);                                                \
                if (found < 0 || x OP best || best != best && x == x || back && x == best)      \
                    found = n, best = x;                                                        \
            }                                                                                   \
        put_place(result, a, kind, found);                                                      \
    }
PLACE(_FortranAMaxlocReal4, float, >)
PLACE(_FortranAMaxlocReal8, double, >)
PLACE(_FortranAMinlocReal4, float, <)
PLACE(_FortranAMinlocReal8, double, <)
PLACE(_FortranAMaxlocInteger4, int32_t, >)
PLACE(_FortranAMaxlocInteger8, int64_t, >)
PLACE(_FortranAMinlocInteger4, int32_t, <)
PLACE(_FortranAMinlocInteger8, int64_t, <)

#define PLACES_ALONG(T, OP)                                                                     \
    for (index n = 0, count = elements_without(a, dim - 1); n < count; n++) {                   \
        const byte *from = without(a, dim - 1, n);                                              \
        index found = 0;                                                                        \
        T best = 0;                                                                             \
        for (index k = 0; k < a->dim[dim - 1].extent; k++)                                      \
            if (!masked_at(mask, dim - 1, n, k)) {                                              \
                T x = *(const T *)(from + k * a->dim[dim - 1].stride);                          \
                if (!found || x OP best || best != best && x == x || back && x == best)         \
                    found = k + 1, best = x;                                                    \
            }                                                                                   \
        put_integer(element(result, n), kind, found);                                           \
    }
#define PLACE_ALONG(NAME, OP)                                                                   \
    BODY void NAME(struct descriptor *result, array a, int kind, int dim, const char *file,     \
                   int line, array mask, _Bool back) {                                          \
        reduced(result, a, dim - 1, (uint64_t)kind, type_code(IS_INTEGER, kind));               \
        switch (a->type) {                                                                      \
        case REAL_4: PLACES_ALONG(float, OP) break;                                             \
        case REAL_8: PLACES_ALONG(double, OP) break;                                            \
        case INTEGER_4: PLACES_ALONG(int32_t, OP) break;                                        \
        case INTEGER_8: PLACES_ALONG(int64_t, OP) break;                                        \
        default: _FortranAReportFatalUserError("place of an extreme of this type", file, line); \
        }                                                                                       \
    }
PLACE_ALONG(_FortranAMaxlocDim, >)
PLACE_ALONG(_FortranAMinlocDim, <)
