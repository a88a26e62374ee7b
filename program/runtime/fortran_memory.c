/* Allocation, assignment, and derived types: default initialisation, deep copies, what is freed with
 * an object. Types are described by tables that flang writes into the program. */

/* Nothing here computes with floats, so nothing has to stand at the line of the call; and there is
 * much of it. */
#undef BODY
#define BODY __attribute__((noinline))

/* `__fortran_type_info`'s, as flang 19 lays them out. */
struct component {
    byte name[24];
    int8_t genre, category, kind, rank;
    index offset;
    struct {
        int8_t genre;
        index value;
    } length;
    struct {
        const struct derived *type;
        byte rest[32];
    } structure;
    byte lengths[64];
    struct {
        const index *values; /* pairs of a genre and a value: lower and upper bounds */
        byte rest[80];
    } bounds;
    const byte *initial;
};
struct pointer_component {
    byte name[24];
    index offset;
    const void *initial;
};
struct derived {
    byte bindings[64], name[24];
    uint64_t size;
    const struct derived *generic;
    byte parameters[128];
    struct {
        const struct component *base;
        byte before[24];
        index extent;
        byte after[24];
    } components;
    struct {
        const struct pointer_component *base;
        byte before[24];
        index extent;
        byte after[24];
    } pointers;
    byte special[64];
    uint32_t special_bits;
    int8_t has_parent, needs_no_initialisation, needs_no_destruction, needs_no_finalisation;
};
enum { DATA = 1, POINTS, ALLOCATES, AUTOMATIC };
enum { IS_INTEGER, IS_REAL, IS_COMPLEX, IS_CHARACTER, IS_LOGICAL, IS_DERIVED };

/* What follows the dimensions. */
INLINE const struct derived **type_slot(array d) { return (const struct derived **)&d->dim[d->rank]; }

INLINE const struct derived *type_of(array d) { return d->extra & 1 ? *type_slot(d) : 0; }

INLINE void set_type(struct descriptor *d, const struct derived *type) {
    d->extra |= 1;
    type_slot(d)[0] = type;
    type_slot(d)[1] = 0;
}

/* A component's elements one after the other: how many, and how long each is. */
static index component_elements(const struct component *c) {
    index count = 1;
    for (int r = 0; r < c->rank; r++) {
        const index *bounds = c->bounds.values + 4 * r;
        index extent = bounds[3] - bounds[1] + 1;
        count *= extent > 0 ? extent : 0;
    }
    return count;
}

static uint64_t component_length(const struct component *c) {
    switch (c->category) {
    case IS_COMPLEX: return 2 * (uint64_t)c->kind;
    case IS_CHARACTER: return (uint64_t)(c->length.value * c->kind);
    case IS_DERIVED: return c->structure.type ? c->structure.type->size : 0;
    default: return c->kind == 10 ? 16 : (uint64_t)c->kind;
    }
}

static int component_type(const struct component *c) {
    int log = c->kind == 1 ? 0 : c->kind == 2 ? 1 : c->kind == 4 ? 2 : 3;
    switch (c->category) {
    case IS_INTEGER: return INTEGER_1 + (c->kind == 16 ? 4 : log);
    case IS_REAL: return c->kind == 10 ? 29 : c->kind == 16 ? 31 : REAL_4 + log - 2;
    case IS_COMPLEX: return c->kind == 10 ? 36 : c->kind == 16 ? 38 : COMPLEX_4 + log - 2;
    case IS_CHARACTER: return c->kind == 2 ? 43 : c->kind == 4 ? 44 : CHARACTER_1;
    case IS_DERIVED: return STRUCTURE;
    default: return c->kind == 1 ? LOGICAL_1 : INTEGER_1 + log;
    }
}

static void establish_component(struct descriptor *d, const struct component *c) {
    begin(d, component_length(c), component_type(c), c->rank);
    d->attribute = c->genre == POINTS ? POINTER : ALLOCATABLE;
    for (int r = 0; r < c->rank; r++)
        d->dim[r].lower = 1, d->dim[r].extent = 0, d->dim[r].stride = 0;
    if (c->category == IS_DERIVED)
        set_type(d, c->structure.type);
}

static void initialise(byte *object, const struct derived *type) {
    if (type->needs_no_initialisation)
        return;
    for (index n = 0; n < type->components.extent; n++) {
        const struct component *c = &type->components.base[n];
        byte *at = object + c->offset;
        if (c->genre == ALLOCATES || c->genre == AUTOMATIC || c->genre == POINTS && !c->initial) {
            establish_component((struct descriptor *)at, c);
        } else if (c->genre == POINTS) {
            uint64_t size = 24 + 24 * (uint64_t)c->rank + (c->category == IS_DERIVED ? 16 : 0);
            __builtin_memcpy(at, c->initial, size);
        } else if (c->initial) {
            __builtin_memcpy(at, c->initial, component_length(c) * (uint64_t)component_elements(c));
        } else if (c->category == IS_DERIVED && c->structure.type) {
            uint64_t size = c->structure.type->size;
            for (index k = 0, count = component_elements(c); k < count; k++)
                initialise(at + (uint64_t)k * size, c->structure.type);
        }
    }
    for (index n = 0; n < type->pointers.extent; n++) {
        const struct pointer_component *p = &type->pointers.base[n];
        *(const void **)(object + p->offset) = p->initial;
    }
}

/* Frees what an object's allocatable components hold. */
static void destroy(byte *object, const struct derived *type) {
    if (type->needs_no_destruction)
        return;
    for (index n = 0; n < type->components.extent; n++) {
        const struct component *c = &type->components.base[n];
        byte *at = object + c->offset;
        if (c->genre == ALLOCATES || c->genre == AUTOMATIC) {
            struct descriptor *d = (struct descriptor *)at;
            if (!d->base)
                continue;
            if (type_of(d))
                for (index k = 0, count = elements(d); k < count; k++)
                    destroy(element(d, k), type_of(d));
            free(d->base);
            d->base = 0;
        } else if (c->genre == DATA && c->category == IS_DERIVED && c->structure.type) {
            uint64_t size = c->structure.type->size;
            for (index k = 0, count = component_elements(c); k < count; k++)
                destroy(at + (uint64_t)k * size, c->structure.type);
        }
    }
}

/* Gives an object whose bytes were copied memory of its own. */
static void separate(byte *object, const struct derived *type) {
    if (type->needs_no_destruction)
        return;
    for (index n = 0; n < type->components.extent; n++) {
        const struct component *c = &type->components.base[n];
        byte *at = object + c->offset;
        if (c->genre == ALLOCATES || c->genre == AUTOMATIC) {
            struct descriptor *d = (struct descriptor *)at;
            if (!d->base)
                continue;
            const byte *from = d->base;
            obtain(d);
            uint64_t bytes = d->length * (uint64_t)elements(d);
            __builtin_memcpy(d->base, from, bytes);
            if (type_of(d))
                for (index k = 0, count = elements(d); k < count; k++)
                    separate(element(d, k), type_of(d));
        } else if (c->genre == DATA && c->category == IS_DERIVED && c->structure.type) {
            uint64_t size = c->structure.type->size;
            for (index k = 0, count = component_elements(c); k < count; k++)
                separate(at + (uint64_t)k * size, c->structure.type);
        }
    }
}

INLINE void destroy_all(array d) {
    const struct derived *type = type_of(d);
    if (d->base && type && !type->needs_no_destruction)
        for (index n = 0, count = elements(d); n < count; n++)
            destroy(element(d, n), type);
}

INLINE void initialise_all(array d) {
    const struct derived *type = type_of(d);
    if (d->base && type && !type->needs_no_initialisation)
        for (index n = 0, count = elements(d); n < count; n++)
            initialise(element(d, n), type);
}

/* The value of one element in the place of another's. Characters are cut or padded with blanks. */
INLINE void copy_element(byte *to, array d, const byte *from, array source) {
    const struct derived *type = type_of(d);
    if (type && !type->needs_no_destruction) {
        if (to == from)
            return;
        destroy(to, type);
        __builtin_memcpy(to, from, d->length);
        separate(to, type);
    } else if (d->type == CHARACTER_1 && source->length != d->length) {
        for (uint64_t n = 0; n < d->length; n++)
            to[n] = n < source->length ? from[n] : ' ';
    } else {
        __builtin_memmove(to, from, d->length);
    }
}

BODY void _FortranAInitialize(array d, const char *file, int line) { initialise_all(d); }
BODY void _FortranADestroy(array d) { destroy_all(d); }
BODY void _FortranADestroyWithoutFinalization(array d) { destroy_all(d); }

/* Takes the dimensions, the type and the length of another. */
INLINE void take_form(struct descriptor *to, array from, _Bool bounds) {
    const struct derived *type = type_of(from);
    to->length = from->length;
    to->type = from->type;
    to->rank = from->rank;
    for (int r = 0; r < from->rank; r++) {
        if (bounds)
            to->dim[r].lower = from->dim[r].extent > 0 ? from->dim[r].lower : 1;
        to->dim[r].extent = from->dim[r].extent;
    }
    if (type)
        set_type(to, type);
}

/* Whether the bytes of two arrays may be the same ones. */
INLINE _Bool overlap(array a, array b) {
    index a_first = 0, a_last = 0, b_first = 0, b_last = 0;
    for (int r = 0; r < a->rank; r++) {
        index reach = (a->dim[r].extent - 1) * a->dim[r].stride;
        *(reach < 0 ? &a_first : &a_last) += reach;
    }
    for (int r = 0; r < b->rank; r++) {
        index reach = (b->dim[r].extent - 1) * b->dim[r].stride;
        *(reach < 0 ? &b_first : &b_last) += reach;
    }
    return a->base + a_first <= b->base + b_last && b->base + b_first <= a->base + a_last;
}

/* Assigns an array or a scalar; what is allocatable takes the shape, and where it is polymorphic the
 * type. */
INLINE void assign(struct descriptor *to, array from, _Bool polymorphic, _Bool fixed_length) {
    if (to->attribute == ALLOCATABLE) {
        _Bool fits = to->base != 0;
        for (int r = 0; r < from->rank; r++)
            fits = fits && to->dim[r].extent == from->dim[r].extent;
        _Bool retyped = polymorphic && type_of(to) != type_of(from);
        if (to->type == CHARACTER_1 && !fixed_length && to->length != from->length)
            retyped = 1;
        if (!fits || retyped) {
            byte *old = to->base;
            struct descriptor before = {old};
            uint64_t length = to->length;
            if (from->rank == 0) {
                /* A scalar keeps the shape of what it is assigned to. */
                if (polymorphic && type_of(from))
                    set_type(to, type_of(from)), to->length = from->length;
                else if (to->type == CHARACTER_1)
                    to->length = from->length;
            } else {
                destroy_all(to);
                take_form(to, from, 1);
            }
            if (fixed_length)
                to->length = length;
            obtain(to);
            initialise_all(to);
            for (index n = 0, count = elements(to); n < count; n++)
                copy_element(element(to, n), to, from->rank ? element(from, n) : from->base, from);
            free(before.base);
            return;
        }
    }
    index count = elements(to);
    if (from->rank && count > 1 && overlap(to, from)) {
        byte *copy = malloc(from->length * (uint64_t)count);
        for (index n = 0; n < count; n++)
            __builtin_memcpy(copy + (uint64_t)n * from->length, element(from, n), from->length);
        for (index n = 0; n < count; n++)
            copy_element(element(to, n), to, copy + (uint64_t)n * from->length, from);
        free(copy);
        return;
    }
    for (index n = 0; n < count; n++)
        copy_element(element(to, n), to, from->rank ? element(from, n) : from->base, from);
}

BODY void _FortranAAssign(struct descriptor *to, array from, const char *file, int line) {
    assign(to, from, 0, 0);
}
BODY void _FortranAAssignPolymorphic(struct descriptor *to, array from, const char *file, int line) {
    assign(to, from, 1, 0);
}
BODY void _FortranAAssignExplicitLengthCharacter(struct descriptor *to, array from, const char *file,
                                                 int line) {
    assign(to, from, 0, 1);
}
/* To what was never initialised. */
BODY void _FortranAAssignTemporary(struct descriptor *to, array from, const char *file, int line) {
    initialise_all(to);
    assign(to, from, 1, 0);
}
/* An argument without gaps, and back. */
BODY void _FortranACopyInAssign(struct descriptor *copy, array from, const char *file, int line) {
    begin(copy, from->length, from->type, from->rank);
    take_form(copy, from, 1);
    obtain(copy);
    for (index n = 0, count = elements(copy); n < count; n++)
        __builtin_memcpy(element(copy, n), element(from, n), copy->length);
}
BODY void _FortranACopyOutAssign(struct descriptor *to, struct descriptor *copy, const char *file,
                                 int line) {
    if (to)
        for (index n = 0, count = elements(to); n < count; n++)
            __builtin_memcpy(element(to, n), element(copy, n), to->length);
    free(copy->base);
    copy->base = 0;
}

INLINE uint64_t length_of(int category, int kind) {
    uint64_t length = kind == 10 ? 16 : (uint64_t)kind;
    return category == IS_COMPLEX ? 2 * length : length;
}

INLINE int type_code(int category, int kind) {
    struct component c = {.category = (int8_t)category, .kind = (int8_t)kind};
    return component_type(&c);
}

#define INIT_INTRINSIC(NAME, ATTRIBUTE, UNLESS)                                                 \
    BODY void NAME(struct descriptor *d, int category, int kind, int rank, int corank) {        \
        if (UNLESS)                                                                             \
            return;                                                                             \
        begin(d, length_of(category, kind), type_code(category, kind), rank);                   \
        d->attribute = ATTRIBUTE;                                                               \
    }
#define INIT_CHARACTER(NAME, ATTRIBUTE, UNLESS)                                                 \
    BODY void NAME(struct descriptor *d, index length, int kind, int rank, int corank) {        \
        if (UNLESS)                                                                             \
            return;                                                                             \
        begin(d, (uint64_t)(length * kind), type_code(IS_CHARACTER, kind), rank);               \
        d->attribute = ATTRIBUTE;                                                               \
    }
#define INIT_DERIVED(NAME, ATTRIBUTE, UNLESS)                                                   \
    BODY void NAME(struct descriptor *d, const struct derived *type, int rank, int corank) {    \
        if (UNLESS)                                                                             \
            return;                                                                             \
        begin(d, type->size, STRUCTURE, rank);                                                  \
        d->attribute = ATTRIBUTE;                                                               \
        set_type(d, type);                                                                      \
    }
INIT_INTRINSIC(_FortranAAllocatableInitIntrinsic, ALLOCATABLE, 0)
INIT_INTRINSIC(_FortranAAllocatableInitIntrinsicForAllocate, ALLOCATABLE, d->base)
INIT_INTRINSIC(_FortranAPointerNullifyIntrinsic, POINTER, 0)
INIT_CHARACTER(_FortranAAllocatableInitCharacter, ALLOCATABLE, 0)
INIT_CHARACTER(_FortranAAllocatableInitCharacterForAllocate, ALLOCATABLE, d->base)
INIT_CHARACTER(_FortranAPointerNullifyCharacter, POINTER, 0)
INIT_DERIVED(_FortranAAllocatableInitDerived, ALLOCATABLE, 0)
INIT_DERIVED(_FortranAAllocatableInitDerivedForAllocate, ALLOCATABLE, d->base)
INIT_DERIVED(_FortranAPointerNullifyDerived, POINTER, 0)

BODY void _FortranAAllocatableSetBounds(struct descriptor *d, int r, index lower, index upper) {
    set_bounds(d, r, lower, upper);
}
BODY void _FortranAPointerSetBounds(struct descriptor *d, int r, index lower, index upper) {
    set_bounds(d, r, lower, upper);
}

INLINE void apply_mold(struct descriptor *d, array mold, int rank, int attribute) {
    const struct derived *type = type_of(mold);
    begin(d, mold->length, mold->type, rank);
    d->attribute = (int8_t)attribute;
    for (int r = 0; r < rank && r < mold->rank; r++)
        d->dim[r] = mold->dim[r];
    if (type)
        set_type(d, type);
}
BODY void _FortranAAllocatableApplyMold(struct descriptor *d, array mold, int rank) {
    if (!d->base)
        apply_mold(d, mold, rank, ALLOCATABLE);
}
BODY void _FortranAPointerApplyMold(struct descriptor *d, array mold, int rank) {
    apply_mold(d, mold, rank, POINTER);
}

/* An error number for STAT=, or the end of the program. */
INLINE int fail(int status, _Bool has_status, const char *message, const char *file, int line) {
    if (!has_status)
        _FortranAReportFatalUserError(message, file, line);
    return status;
}
enum { BASE_NULL = 11, BASE_NOT_NULL = 12 };

INLINE int allocate(struct descriptor *d, _Bool has_status, const char *file, int line) {
    if (d->attribute == ALLOCATABLE && d->base)
        return fail(BASE_NOT_NULL, has_status, "ALLOCATE of what is allocated", file, line);
    obtain(d);
    initialise_all(d);
    return 0;
}
INLINE int allocate_source(struct descriptor *d, array source, _Bool has_status, const char *file,
                           int line) {
    int status = allocate(d, has_status, file, line);
    if (status == 0)
        for (index n = 0, count = elements(d); n < count; n++)
            copy_element(element(d, n), d, source->rank ? element(source, n) : source->base, source);
    return status;
}
INLINE int deallocate(struct descriptor *d, _Bool has_status, const char *file, int line) {
    if (!d->base)
        return fail(BASE_NULL, has_status, "DEALLOCATE of what is not allocated", file, line);
    destroy_all(d);
    free(d->base);
    d->base = 0;
    return 0;
}
#define ALLOCATION(WHAT)                                                                        \
    BODY int _FortranA##WHAT##Allocate(struct descriptor *d, _Bool has_status, array message,   \
                                       const char *file, int line) {                            \
        return allocate(d, has_status, file, line);                                             \
    }                                                                                           \
    BODY int _FortranA##WHAT##AllocateSource(struct descriptor *d, array source,                \
                                             _Bool has_status, array message, const char *file, \
                                             int line) {                                        \
        return allocate_source(d, source, has_status, file, line);                              \
    }                                                                                           \
    BODY int _FortranA##WHAT##Deallocate(struct descriptor *d, _Bool has_status, array message, \
                                         const char *file, int line) {                          \
        return deallocate(d, has_status, file, line);                                           \
    }                                                                                           \
    BODY int _FortranA##WHAT##DeallocatePolymorphic(                                            \
        struct descriptor *d, const struct derived *declared, _Bool has_status, array message,  \
        const char *file, int line) {                                                           \
        int status = deallocate(d, has_status, file, line);                                     \
        if (status == 0 && declared)                                                            \
            set_type(d, declared), d->length = declared->size;                                  \
        return status;                                                                          \
    }
ALLOCATION(Allocatable)
ALLOCATION(Pointer)

BODY int32_t _FortranAMoveAlloc(struct descriptor *to, struct descriptor *from,
                                const struct derived *declared, _Bool has_status, array message,
                                const char *file, int line) {
    if (to->base) {
        if (to->base == from->base)
            return 0;
        destroy_all(to);
        free(to->base);
        to->base = 0;
    }
    if (from->base) {
        const struct derived *type = type_of(from);
        to->length = from->length;
        to->type = from->type;
        for (int r = 0; r < from->rank; r++)
            to->dim[r] = from->dim[r];
        if (type)
            set_type(to, type);
        to->base = from->base;
        from->base = 0;
        if (declared)
            set_type(from, declared), from->length = declared->size;
    }
    return 0;
}

BODY void _FortranAPointerAssociateScalar(struct descriptor *pointer, void *target) {
    pointer->base = target;
}
INLINE void associate(struct descriptor *pointer, array target) {
    const struct derived *type = type_of(target);
    begin(pointer, target->length, target->type, target->rank);
    pointer->attribute = POINTER;
    pointer->base = target->base;
    for (int r = 0; r < target->rank; r++)
        pointer->dim[r] = target->dim[r];
    if (type)
        set_type(pointer, type);
}
BODY void _FortranAPointerAssociate(struct descriptor *pointer, array target) {
    associate(pointer, target);
}
INLINE index integer_at(array a, index n) {
    const byte *at = element(a, n);
    switch (a->length) {
    case 1: return *(const int8_t *)at;
    case 2: return *(const int16_t *)at;
    case 4: return *(const int32_t *)at;
    default: return *(const int64_t *)at;
    }
}
BODY void _FortranAPointerAssociateLowerBounds(struct descriptor *pointer, array target,
                                               array lower) {
    associate(pointer, target);
    for (int r = 0; r < target->rank; r++)
        if (pointer->dim[r].extent > 0)
            pointer->dim[r].lower = integer_at(lower, r);
}
/* A target of one dimension, or one without gaps, seen with other bounds. */
BODY void _FortranAPointerAssociateRemapping(struct descriptor *pointer, array target, array bounds,
                                             const char *file, int line) {
    const struct derived *type = type_of(target);
    int rank = (int)bounds->dim[1].extent;
    index stride = target->rank == 1 ? target->dim[0].stride : (index)target->length;
    begin(pointer, target->length, target->type, rank);
    pointer->attribute = POINTER;
    pointer->base = target->base;
    for (int r = 0; r < rank; r++) {
        set_bounds(pointer, r, integer_at(bounds, 2 * r), integer_at(bounds, 2 * r + 1));
        pointer->dim[r].stride = stride;
        stride *= pointer->dim[r].extent;
    }
    if (type)
        set_type(pointer, type);
}
BODY _Bool _FortranAPointerIsAssociated(array pointer) { return pointer->base != 0; }
BODY _Bool _FortranAPointerIsAssociatedWith(array pointer, array target) {
    if (!target)
        return pointer->base != 0;
    if (!pointer->base || pointer->base != target->base || pointer->rank != target->rank)
        return 0;
    for (int r = 0; r < pointer->rank; r++)
        if (pointer->dim[r].extent != target->dim[r].extent || pointer->dim[r].extent == 0 ||
            pointer->dim[r].extent > 1 && pointer->dim[r].stride != target->dim[r].stride)
            return 0;
    return 1;
}

/* Whether a type is another or extends it: a parent is the first component. */
INLINE _Bool extends(const struct derived *type, const struct derived *ancestor) {
    while (type) {
        if (type == ancestor)
            return 1;
        type = type->has_parent ? type->components.base[0].structure.type : 0;
    }
    return 0;
}
BODY _Bool _FortranAClassIs(array d, const struct derived *type) {
    return extends(type_of(d), type);
}
BODY _Bool _FortranASameTypeAs(array a, array b) {
    return type_of(a) ? type_of(a) == type_of(b) : a->type == b->type;
}
BODY _Bool _FortranAExtendsTypeOf(array a, array mold) { return extends(type_of(a), type_of(mold)); }

/* An array constructor whose length nobody knows before. */
struct vector {
    struct descriptor *to;
    index next, room;
    const char *file;
    int line;
    unsigned char takes_length : 1;
};
BODY void _FortranAInitArrayConstructorVector(struct vector *v, struct descriptor *to,
                                              _Bool takes_length, int size, const char *file,
                                              int line) {
    v->to = to;
    v->next = 0;
    v->room = to->base ? elements(to) : 0;
    v->file = file;
    v->line = line;
    v->takes_length = takes_length;
    if (!to->base)
        set_bounds(to, 0, 1, 0);
}
INLINE void push(struct vector *v, const byte *from, array source) {
    struct descriptor *to = v->to;
    if (v->next == v->room) {
        byte *old = to->base;
        v->room = v->room ? 2 * v->room : 4;
        to->base = malloc((uint64_t)v->room * (to->length ? to->length : 1));
        if (old)
            __builtin_memcpy(to->base, old, (uint64_t)v->next * to->length);
        free(old);
    }
    if (v->next >= to->dim[0].extent)
        set_bounds(to, 0, 1, v->next + 1);
    to->dim[0].stride = (index)to->length;
    byte *at = to->base + (uint64_t)v->next * to->length;
    if (type_of(to) && !type_of(to)->needs_no_destruction)
        initialise(at, type_of(to));
    copy_element(at, to, from, source ? source : to);
    v->next++;
}
BODY void _FortranAPushArrayConstructorValue(struct vector *v, array from) {
    if (v->takes_length && v->next == 0)
        v->to->length = from->length;
    for (index n = 0, count = elements(from); n < count; n++)
        push(v, element(from, n), from);
}
BODY void _FortranAPushArrayConstructorSimpleScalar(struct vector *v, void *from) {
    push(v, from, 0);
}

/* The same bytes as another type. */
BODY void _FortranATransferSize(struct descriptor *result, array source, array mold,
                                const char *file, int line, int64_t size) {
    begin(result, mold->length, mold->type, 1);
    if (type_of(mold))
        set_type(result, type_of(mold));
    set_bounds(result, 0, 1, size);
    obtain(result);
    uint64_t wanted = (uint64_t)size * mold->length, offset = 0;
    for (index n = 0, count = elements(source); n < count && offset < wanted; n++) {
        uint64_t left = wanted - offset;
        uint64_t bytes = source->length < left ? source->length : left;
        __builtin_memcpy(result->base + offset, element(source, n), bytes);
        offset += bytes;
    }
}
BODY void _FortranATransfer(struct descriptor *result, array source, array mold, const char *file,
                            int line) {
    if (mold->rank == 0) {
        begin(result, mold->length, mold->type, 0);
        if (type_of(mold))
            set_type(result, type_of(mold));
        obtain(result);
        uint64_t offset = 0;
        for (index n = 0, count = elements(source); n < count && offset < mold->length; n++) {
            uint64_t left = mold->length - offset;
            uint64_t bytes = source->length < left ? source->length : left;
            __builtin_memcpy(result->base + offset, element(source, n), bytes);
            offset += bytes;
        }
    } else {
        uint64_t bytes = source->length * (uint64_t)elements(source);
        index size = mold->length ? (index)((bytes + mold->length - 1) / mold->length) : 0;
        _FortranATransferSize(result, source, mold, file, line, size);
    }
}

BODY _Bool _FortranAIsContiguous(array d) {
    index stride = (index)d->length;
    for (int r = 0; r < d->rank; r++) {
        if (d->dim[r].extent > 1 && d->dim[r].stride != stride)
            return 0;
        stride *= d->dim[r].extent;
    }
    return 1;
}
BODY int64_t _FortranASize(array d, const char *file, int line) { return elements(d); }
BODY int64_t _FortranASizeDim(array d, int dim, const char *file, int line) {
    return d->dim[dim - 1].extent;
}
BODY int64_t _FortranALboundDim(array d, int dim, const char *file, int line) {
    return d->dim[dim - 1].lower;
}
/* What a kind of integer holds. */
INLINE void put_integer(byte *at, int kind, int64_t value) {
    switch (kind) {
    case 1: *(int8_t *)at = (int8_t)value; break;
    case 2: *(int16_t *)at = (int16_t)value; break;
    case 4: *(int32_t *)at = (int32_t)value; break;
    default: *(int64_t *)at = value; break;
    }
}
BODY void _FortranAShape(void *result, array d, int kind, const char *file, int line) {
    for (int r = 0; r < d->rank; r++)
        put_integer((byte *)result + r * kind, kind, d->dim[r].extent);
}
BODY void _FortranALbound(void *result, array d, int kind, const char *file, int line) {
    for (int r = 0; r < d->rank; r++)
        put_integer((byte *)result + r * kind, kind, d->dim[r].lower);
}
BODY void _FortranAUbound(void *result, array d, int kind, const char *file, int line) {
    for (int r = 0; r < d->rank; r++)
        put_integer((byte *)result + r * kind, kind, d->dim[r].lower + d->dim[r].extent - 1);
}

/* IEEE_EXCEPTIONS' numbers are those of x86. */
BODY int32_t _FortranAMapException(int32_t exception) { return exception; }
