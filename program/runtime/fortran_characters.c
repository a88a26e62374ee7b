/* Characters of kind 1. */

/* Shorter strings count as padded with blanks. */
BODY int _FortranACharacterCompareScalar1(const char *a, const char *b, uint64_t a_length,
                                          uint64_t b_length) {
    uint64_t longer = a_length > b_length ? a_length : b_length;
    for (uint64_t n = 0; n < longer; n++) {
        byte x = n < a_length ? (byte)a[n] : ' ', y = n < b_length ? (byte)b[n] : ' ';
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

INLINE uint64_t trimmed(const byte *text, uint64_t length) {
    while (length && text[length - 1] == ' ')
        length--;
    return length;
}
BODY uint64_t _FortranALenTrim1(const byte *text, uint64_t length) { return trimmed(text, length); }

/* The result of an elemental function on characters. */
INLINE void begin_text(struct descriptor *result, array like, uint64_t length) {
    begin(result, length, like->type, like->rank);
    for (int r = 0; r < like->rank; r++)
        set_bounds(result, r, 1, like->dim[r].extent);
    obtain(result);
}

BODY void _FortranAAdjustl(struct descriptor *result, array text, const char *file, int line) {
    uint64_t length = text->length;
    begin_text(result, text, length);
    for (index n = 0, count = elements(text); n < count; n++) {
        const byte *from = element(text, n);
        byte *to = element(result, n);
        uint64_t blanks = 0;
        while (blanks < length && from[blanks] == ' ')
            blanks++;
        for (uint64_t k = 0; k < length; k++)
            to[k] = k + blanks < length ? from[k + blanks] : ' ';
    }
}
BODY void _FortranAAdjustr(struct descriptor *result, array text, const char *file, int line) {
    uint64_t length = text->length;
    begin_text(result, text, length);
    for (index n = 0, count = elements(text); n < count; n++) {
        const byte *from = element(text, n);
        byte *to = element(result, n);
        uint64_t blanks = length - trimmed(from, length);
        for (uint64_t k = 0; k < length; k++)
            to[k] = k >= blanks ? from[k - blanks] : ' ';
    }
}
BODY void _FortranATrim(struct descriptor *result, array text, const char *file, int line) {
    begin_text(result, text, trimmed(text->base, text->length));
    __builtin_memcpy(result->base, text->base, result->length);
}
BODY void _FortranARepeat(struct descriptor *result, array text, int64_t copies, const char *file,
                          int line) {
    uint64_t times = copies > 0 ? (uint64_t)copies : 0;
    begin_text(result, text, times * text->length);
    for (uint64_t n = 0; n < times; n++)
        __builtin_memcpy(result->base + n * text->length, text->base, text->length);
}
INLINE void append(struct descriptor *text, const byte *more, uint64_t bytes) {
    byte *old = text->base;
    uint64_t length = old ? text->length : 0;
    text->length = length + bytes;
    obtain(text);
    if (old)
        __builtin_memcpy(text->base, old, length);
    __builtin_memcpy(text->base + length, more, bytes);
    free(old);
}
BODY void _FortranACharacterConcatenateScalar1(struct descriptor *text, const byte *more,
                                               uint64_t bytes) {
    append(text, more, bytes);
}
BODY void _FortranACharacterConcatenate(struct descriptor *text, array more, const char *file,
                                        int line) {
    if (text->rank == 0) {
        append(text, more->base, more->length);
        return;
    }
    struct descriptor old;
    begin(&old, text->length, text->type, 1);
    old.base = text->base;
    set_bounds(&old, 0, 1, elements(text));
    old.dim[0].stride = (index)old.length;
    text->length += more->length;
    obtain(text);
    for (index n = 0, count = elements(text); n < count; n++) {
        __builtin_memcpy(element(text, n), element(&old, n), old.length);
        __builtin_memcpy(element(text, n) + old.length, more->rank ? element(more, n) : more->base,
                         more->length);
    }
    free(old.base);
}

BODY uint64_t _FortranAIndex1(const byte *text, uint64_t length, const byte *part, uint64_t size,
                              _Bool back) {
    if (size > length)
        return 0;
    for (uint64_t n = 0; n <= length - size; n++) {
        uint64_t at = back ? length - size - n : n, k = 0;
        while (k < size && text[at + k] == part[k])
            k++;
        if (k == size)
            return at + 1;
    }
    return 0;
}

/* The first, or last, character that is in a set, or is not. */
INLINE uint64_t find(const byte *text, uint64_t length, const byte *set, uint64_t size, _Bool back,
                     _Bool wanted) {
    for (uint64_t n = 0; n < length; n++) {
        uint64_t at = back ? length - 1 - n : n, k = 0;
        while (k < size && text[at] != set[k])
            k++;
        if ((k < size) == wanted)
            return at + 1;
    }
    return 0;
}
BODY uint64_t _FortranAScan1(const byte *text, uint64_t length, const byte *set, uint64_t size,
                             _Bool back) {
    return find(text, length, set, size, back, 1);
}
BODY uint64_t _FortranAVerify1(const byte *text, uint64_t length, const byte *set, uint64_t size,
                               _Bool back) {
    return find(text, length, set, size, back, 0);
}
