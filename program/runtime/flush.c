/* What clang links to executables made with -ffast-math: subnormal results and operands are
 * zero. It is never linked to a shared library, so that ours does it when it is loaded. */

#include <stdint.h>

static __attribute__((constructor)) void flush(void) {
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr |= 0x8040; /* FTZ, DAZ */
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}
