/* What compilers call to narrow to bfloat16 and not every libgcc has. Weak: one that is there is
 * used. To nearest, ties to even, as without the instructions for it. */

#include <stdint.h>
#include <string.h>

static uint16_t narrowed(uint32_t bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) return bits >> 16 | 0x40;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

__attribute__((weak)) __bf16 __truncsfbf2(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t half = narrowed(bits);
    __bf16 result;
    memcpy(&result, &half, sizeof result);
    return result;
}

/* To odd first, so that the second rounding is the only one that counts. */
__attribute__((weak)) __bf16 __truncdfbf2(double value) {
    float nearest = (float)value;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    double back = nearest;
    if (back == back && back != value && !(bits & 1)) {
        /* The odd neighbour on the other side of the value. */
        int away = (back < 0 ? -back : back) < (value < 0 ? -value : value);
        if ((bits & 0x7fffffff) == 0) bits |= 1;
        else bits += away ? 1 : -1;
        memcpy(&nearest, &bits, sizeof bits);
    }
    return __truncsfbf2(nearest);
}
