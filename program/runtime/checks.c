/* What no trap tells of, in a checked library: integers that wrap, and exceptions of formats that
 * the machine has no instructions for. Reported to the process that replays. */

#include <stdint.h>

/* Set by the host; absent, nothing is reported. */
void (*nanoscope_integer)(uint32_t site, uint64_t a, uint64_t b);
void (*nanoscope_soft)(uint32_t site, uint32_t flags, const uint64_t *words);

/* Called before the operation, with its operands (zero-extended; the second 0 where there is
 * but one). */
__attribute__((visibility("hidden"))) void nanoscope_overflowed(uint32_t site, uint64_t a, uint64_t b) {
    if (nanoscope_integer) nanoscope_integer(site, a, b);
}

/* MXCSR's flags. */
enum { INVALID = 1, DIVIDE_BY_ZERO = 4, OVERFLOW = 8, UNDERFLOW = 16 };

enum class { ZERO, SUBNORMAL, NORMAL, INFINITE, NOT_A_NUMBER };

static enum class class_of(const uint64_t *words, uint32_t exponent_bits, uint32_t fraction_bits) {
    unsigned __int128 bits = words[0] | (unsigned __int128)words[1] << 64;
    unsigned __int128 most = ((unsigned __int128)1 << exponent_bits) - 1;
    unsigned __int128 exponent = bits >> fraction_bits & most;
    unsigned __int128 fraction = bits & (((unsigned __int128)1 << fraction_bits) - 1);
    if (exponent == most) {
        /* The integer bit of x87 is no part of the fraction. */
        if (fraction_bits == 64) fraction &= ((unsigned __int128)1 << 63) - 1;
        return fraction ? NOT_A_NUMBER : INFINITE;
    }
    if (exponent) return NORMAL;
    return fraction ? SUBNORMAL : ZERO;
}

/* Called after an operation, with its operands and its result. `kind`: how many operands; 4, a
 * division; 8, a product or conversion, which are zero for numbers that are not only by underflow. */
__attribute__((visibility("hidden"))) void nanoscope_computed(
    uint32_t site, uint32_t kind, uint32_t given_exponent, uint32_t given_fraction, uint32_t exponent,
    uint32_t fraction, uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1, uint64_t c0, uint64_t c1,
    uint64_t r0, uint64_t r1) {
    const uint64_t words[8] = {a0, a1, b0, b1, c0, c1, r0, r1};
    enum class operands[3], result = class_of(words + 6, exponent, fraction);
    uint32_t count = kind & 3, flags = 0;
    int zeros = 0;
    for (uint32_t i = 0; i < count; i++) {
        operands[i] = class_of(words + 2 * i, given_exponent, given_fraction);
        if (operands[i] == NOT_A_NUMBER) return;
        zeros += operands[i] == ZERO;
    }
    if (result == NOT_A_NUMBER) {
        flags = INVALID;
    } else {
        for (uint32_t i = 0; i < count; i++)
            if (operands[i] == INFINITE) return;
        if (kind & 4 && operands[1] == ZERO) flags = DIVIDE_BY_ZERO;
        else if (result == INFINITE) flags = OVERFLOW;
        else if (result == SUBNORMAL) flags = UNDERFLOW;
        else if (result == ZERO && kind & 12 && !zeros) flags = UNDERFLOW;
    }
    if (flags && nanoscope_soft) nanoscope_soft(site, flags, words);
}
