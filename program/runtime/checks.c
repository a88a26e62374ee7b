/* Integers that wrap in a checked library, reported to the process that replays. */

#include <stdint.h>

/* Set by the host; absent, nothing is reported. */
void (*nanoscope_integer)(uint32_t site, uint64_t a, uint64_t b);

/* Called before the operation, with its operands (zero-extended; the second 0 where there is
 * but one). */
__attribute__((visibility("hidden"))) void nanoscope_overflowed(uint32_t site, uint64_t a, uint64_t b) {
    if (nanoscope_integer) nanoscope_integer(site, a, b);
}
