/* The random tester that the search is measured against: calls a function with random
 * inputs that are heavy on boundaries, and notes which operation raised which of the
 * processor's sticky flags. It learns nothing from a run.
 *
 * The library's code (see program/src/passes/flags.rs) tests MXCSR after every operation and calls
 * nanoscope_flagged where a flag is up. */

#include <stdint.h>
#include <string.h>
#include <time.h>

extern void nanoscope_run(const uint64_t *inputs, uint64_t *outputs);
extern void nanoscope_reset(void);
extern const uint32_t nanoscope_resets;
extern uint32_t nanoscope_mxcsr;

int64_t nanoscope_fuel;

static void *home[5];
static uint32_t *seen;  /* for every site, the flags it raised */
static uint32_t modes;  /* MXCSR with all flags clear */

_Noreturn void nanoscope_stop(void) { __builtin_longjmp(home, 1); }

void nanoscope_flagged(uint32_t site, uint32_t flags) {
    __asm__ volatile("ldmxcsr %0" : : "m"(modes));
    if (site != UINT32_MAX)
        seen[site] |= flags;
}

static uint64_t state;

static uint64_t random_word(void) { /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double unit(void) { return (double)(random_word() >> 11) * 0x1p-53; }

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* Numbers at which programs, and formats, change their behaviour. */
static const double boundaries[] = {
    0, 0x1p-1074, 0x1p-1022, 0x1p-1023, 0x1p-511, 0x1p-537, 0x1p-52, 0x1p-53, 0x1p-26, 1e-300,
    1e-200, 1e-100, 1e-10, 1e-5, 0.1, 0.25, 0.5, 0.75, 1, 1 + 0x1p-52, 1 - 0x1p-53, 1.5, 2, 3, 4,
    5, 10, 20, 50, 100, 170, 171, 200, 500, 700, 708, 709.7827, 710, 744, 745.1332, 1000, 1e4,
    1e5, 1e8, 2147483647, 2147483648, 4294967296, 0x1p52, 0x1p53, 0x1p63, 1e100, 1e154, 1.35e154,
    1e200, 1e300, 1e308, 0x1.fffffffffffffp1023, 3.14159265358979, 6.28318530717959, 2.718281828,
};

static double random_double(void) {
    uint64_t choice = random_word();
    double sign = choice >> 63 ? -1 : 1;
    switch (choice & 15) {
    case 0: case 1: case 2: case 3:
        return sign * boundaries[(choice >> 8) % (sizeof boundaries / sizeof *boundaries)];
    case 4: {
        double x = boundaries[(choice >> 8) % (sizeof boundaries / sizeof *boundaries)];
        double near = x * (1 + (unit() - 0.5) * 0x1p-10);
        return sign * (near <= 0x1.fffffffffffffp1023 ? near : x); /* finite, as the search's */
    }
    case 5: case 6: /* every finite number as likely: all binades */
        for (;;) {
            uint64_t bits = random_word();
            double x;
            memcpy(&x, &bits, 8);
            if ((bits >> 52 & 0x7ff) != 0x7ff)
                return x;
        }
    case 7:
        return sign * unit();
    case 8: case 9:
        return sign * unit() * 10;
    case 10:
        return sign * unit() * 100;
    case 11:
        return sign * unit() * 1000;
    case 12:
        return sign * (double)(choice >> 8 & 31);
    case 13:
        return sign * ((double)(choice >> 8 & 255) + 0.5);
    case 14: { /* a magnitude of 2^-64 to 2^64 */
        double x = 1 + unit();
        uint64_t bits = bits_of(x) + ((uint64_t)((choice >> 8 & 127) - 64) << 52);
        memcpy(&x, &bits, 8);
        return sign * x;
    }
    default:
        return sign * ((double)(choice >> 8 & 31) + (unit() - 0.5) * 0x1p-30);
    }
}

/* The same of single precision, finite too. */
static float random_single(void) {
    static const float marks[] = {0x1p-149f, 0x1p-126f, 0x1p-127f, 0x1p-24f, 0x1p-12f, 1 + 0x1p-23f,
                                  88.72284f, 89, -103.97208f, -104, 0x1p24f, 0x1p63f, 0x1.fffffep127f};
    uint64_t choice = random_word();
    uint32_t bits = (uint32_t)(choice >> 8);
    float x;
    switch (choice & 7) {
    case 0:
        x = marks[bits % (sizeof marks / sizeof *marks)];
        return choice >> 63 ? -x : x;
    case 1:
        memcpy(&x, &bits, 4);
        break;
    default:
        x = (float)random_double();
    }
    return __builtin_isfinite(x) ? x : random_single();
}

static int64_t random_integer(void) {
    uint64_t choice = random_word();
    int64_t sign = choice >> 63 ? -1 : 1;
    switch (choice & 15) {
    case 0: case 1: case 2: case 3: case 4:
        return (int64_t)(choice >> 8) % 8;
    case 5: case 6: case 7:
        return (int64_t)(choice >> 8 & 31);
    case 8: case 9:
        return sign * (int64_t)(choice >> 8 & 15);
    case 10: case 11:
        return sign * (int64_t)(choice >> 8 & 255);
    case 12:
        return sign * (int64_t)(choice >> 8 & 65535);
    case 13: {
        static const int64_t limits[] = {0, 1, -1, 2, 2147483647, -2147483648, 2147483646,
                                         170, 171, 1000, 32767, 65536};
        return limits[(choice >> 8) % (sizeof limits / sizeof *limits)];
    }
    case 14:
        return (int64_t)random_word();
    default:
        return sign * (int64_t)(random_word() >> (choice >> 8 & 63));
    }
}

/* Runs the chosen entry for so many processor seconds. `kinds` has a word for each word of an
 * input: 0, a double; 255, a float; else the width of an integer in bits. Returns the number of
 * runs. */
uint64_t baseline(const uint8_t *kinds, uint64_t words, uint64_t *outputs, uint32_t *flags,
                  double seconds, int64_t fuel, uint64_t seed) {
    volatile uint64_t runs = 0;
    static uint64_t point[256];
    __asm__ volatile("stmxcsr %0" : "=m"(modes));
    modes &= ~0x3fu;
    seen = flags;
    state = seed;
    struct timespec begun, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
    if (__builtin_setjmp(home))
        __asm__ volatile("fninit\n\tcld\n\tldmxcsr %0" : : "m"(modes) : "cc");
    for (;;) {
        if (runs++ % 16 == 0) {
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
            double spent = (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) * 1e-9;
            if (spent >= seconds)
                return runs;
        }
        for (uint64_t i = 0; i < words; i++) {
            if (kinds[i] == 0)
                point[i] = bits_of(random_double());
            else if (kinds[i] == 255) {
                float x = random_single();
                uint32_t bits;
                memcpy(&bits, &x, 4);
                point[i] = bits;
            } else if (kinds[i] >= 64)
                point[i] = (uint64_t)random_integer();
            else
                point[i] = (uint64_t)random_integer() & ((1ull << kinds[i]) - 1);
        }
        nanoscope_fuel = fuel;
        if (nanoscope_resets)
            nanoscope_reset();
        __asm__ volatile("ldmxcsr %0" : : "m"(modes));
        nanoscope_run(point, outputs);
    }
}
