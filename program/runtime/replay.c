/* libm calls of an original library, reported to the process that replays.
 *
 * Linked with --wrap=NAME for the functions that the program calls: the program's
 * NAME is __wrap_NAME here. A wrapper runs the real function with every exception
 * masked and all flags clear, and hands what it saw to nanoscope_libm, so that what
 * happens inside libm is told as one event of the call, by its outcome. */

#include <stdint.h>
#include <string.h>

enum { INTEGER = 0, BINARY32 = 32, BINARY64 = 64, X87 = 80 };

/* A number of the call: its kind above and its encoding, little end first. */
struct nanoscope_number {
    uint32_t kind;
    uint32_t unused;
    uint64_t words[2];
};

struct nanoscope_call {
    const char *name;
    const void *returns_to; /* the instruction after the call */
    uint32_t flags;         /* raised: MXCSR's bits (invalid 1, zero 4, overflow 8, underflow 16) */
    uint32_t arguments;
    struct nanoscope_number argument[3];
    struct nanoscope_number result;
};

/* Set by the host; absent, nothing is reported. */
void (*nanoscope_libm)(const struct nanoscope_call *call);

#define HIDDEN __attribute__((visibility("hidden")))

struct modes {
    uint32_t mxcsr;
    uint16_t control;
    uint16_t status;
};

static inline struct modes mask_exceptions(void) {
    struct modes before;
    __asm__ volatile("stmxcsr %0" : "=m"(before.mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(before.control));
    __asm__ volatile("fnstsw %0" : "=m"(before.status));
    uint32_t mxcsr = (before.mxcsr & 0xe040) | 0x1f80;
    uint16_t control = before.control | 0x3f;
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(control));
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    return before;
}

static inline uint32_t flags_raised(void) {
    uint32_t mxcsr;
    uint16_t status;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return (mxcsr | status) & 0x3f;
}

/* The program still sees all flags: those of before and those of the call. x87's
 * cannot be set singly, so they live on in MXCSR, where fetestexcept looks too. */
static inline void restore_modes(struct modes before, uint32_t flags) {
    uint32_t mxcsr = before.mxcsr | (before.status & 0x3f) | flags;
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(before.control));
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

static inline struct nanoscope_number binary32(float value) {
    struct nanoscope_number number = {BINARY32, 0, {0, 0}};
    memcpy(number.words, &value, 4);
    return number;
}

static inline struct nanoscope_number binary64(double value) {
    struct nanoscope_number number = {BINARY64, 0, {0, 0}};
    memcpy(number.words, &value, 8);
    return number;
}

static inline struct nanoscope_number x87(long double value) {
    struct nanoscope_number number = {X87, 0, {0, 0}};
    memcpy(number.words, &value, 10);
    return number;
}

static inline struct nanoscope_number integer(int64_t value) {
    struct nanoscope_number number = {INTEGER, 0, {(uint64_t)value, 0}};
    return number;
}

#define NUMBER(value) \
    _Generic((value), float: binary32, double: binary64, long double: x87, default: integer)(value)

/* One wrapper. RESULT is the C type, SHOWN the expression reported as the result,
 * and the numbers after it are the reported arguments. */
#define WRAPPER(NAME, TYPE, PARAMETERS, ARGUMENTS, COUNT, ...)                                  \
    extern __attribute__((weak)) TYPE __real_##NAME PARAMETERS;                                 \
    HIDDEN TYPE __wrap_##NAME PARAMETERS {                                                      \
        struct modes before = mask_exceptions();                                                \
        TYPE result = __real_##NAME ARGUMENTS;                                                  \
        uint32_t flags = flags_raised();                                                        \
        if (nanoscope_libm) {                                                                   \
            struct nanoscope_call call = {#NAME, __builtin_return_address(0), flags,            \
                                          COUNT, {__VA_ARGS__}, NUMBER(result)};                \
            nanoscope_libm(&call);                                                              \
        }                                                                                       \
        restore_modes(before, flags);                                                           \
        return result;                                                                          \
    }

#define EACH_TYPE(SHAPE, NAME) \
    SHAPE(NAME, double) SHAPE(NAME##f, float) SHAPE(NAME##l, long double)

#define SHAPE_R_R(NAME, T) WRAPPER(NAME, T, (T x), (x), 1, NUMBER(x))
#define SHAPE_R_RR(NAME, T) WRAPPER(NAME, T, (T x, T y), (x, y), 2, NUMBER(x), NUMBER(y))
#define SHAPE_R_RX(NAME, T) \
    WRAPPER(NAME, T, (T x, long double y), (x, y), 2, NUMBER(x), NUMBER(y))
#define SHAPE_R_RRR(NAME, T) \
    WRAPPER(NAME, T, (T x, T y, T z), (x, y, z), 3, NUMBER(x), NUMBER(y), NUMBER(z))
#define SHAPE_R_RI(NAME, T) WRAPPER(NAME, T, (T x, int n), (x, n), 2, NUMBER(x), NUMBER(n))
#define SHAPE_R_RL(NAME, T) WRAPPER(NAME, T, (T x, long n), (x, n), 2, NUMBER(x), NUMBER(n))
#define SHAPE_R_IR(NAME, T) WRAPPER(NAME, T, (int n, T x), (n, x), 2, NUMBER(n), NUMBER(x))
#define SHAPE_R_RRP(NAME, T) \
    WRAPPER(NAME, T, (T x, T y, int *p), (x, y, p), 2, NUMBER(x), NUMBER(y))
#define SHAPE_I_R(NAME, T) WRAPPER(NAME, int, (T x), (x), 1, NUMBER(x))
#define SHAPE_L_R(NAME, T) WRAPPER(NAME, long, (T x), (x), 1, NUMBER(x))

/* sincos gives its two results through pointers; they are NaN together. */
#define SHAPE_RR_R(NAME, T)                                                                     \
    extern __attribute__((weak)) void __real_##NAME(T x, T *sine, T *cosine);                   \
    HIDDEN void __wrap_##NAME(T x, T *sine, T *cosine) {                                        \
        struct modes before = mask_exceptions();                                                \
        __real_##NAME(x, sine, cosine);                                                         \
        uint32_t flags = flags_raised();                                                        \
        if (nanoscope_libm) {                                                                   \
            struct nanoscope_call call = {#NAME, __builtin_return_address(0), flags,            \
                                          1, {NUMBER(x)}, NUMBER(*sine)};                       \
            nanoscope_libm(&call);                                                              \
        }                                                                                       \
        restore_modes(before, flags);                                                           \
    }

#define R_R(NAME) EACH_TYPE(SHAPE_R_R, NAME)
#define R_RR(NAME) EACH_TYPE(SHAPE_R_RR, NAME)
#define R_RX(NAME) EACH_TYPE(SHAPE_R_RX, NAME)
#define R_RRR(NAME) EACH_TYPE(SHAPE_R_RRR, NAME)
#define R_RI(NAME) EACH_TYPE(SHAPE_R_RI, NAME)
#define R_RL(NAME) EACH_TYPE(SHAPE_R_RL, NAME)
#define R_IR(NAME) EACH_TYPE(SHAPE_R_IR, NAME)
#define R_RRP(NAME) EACH_TYPE(SHAPE_R_RRP, NAME)
#define I_R(NAME) EACH_TYPE(SHAPE_I_R, NAME)
#define L_R(NAME) EACH_TYPE(SHAPE_L_R, NAME)
#define RR_R(NAME) EACH_TYPE(SHAPE_RR_R, NAME)

#include "libm.def"

extern void nanoscope_run(const uint64_t *inputs, uint64_t *outputs);

/* Whether a run is under way that can be left. */
volatile uint32_t nanoscope_armed;

static void *home[5];

/* Runs the target; 1 when the run was left in the middle. */
uint32_t nanoscope_try(const uint64_t *inputs, uint64_t *outputs) {
    if (__builtin_setjmp(home)) {
        __asm__ volatile("fninit\n\tcld" ::: "cc");
        return 1;
    }
    nanoscope_armed = 1;
    nanoscope_run(inputs, outputs);
    nanoscope_armed = 0;
    return 0;
}

/* Where the host sends a run that takes too long. */
void nanoscope_escape(void) {
    nanoscope_armed = 0;
    __builtin_longjmp(home, 1);
}
