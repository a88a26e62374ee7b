/* The batch loop of an instrumented library: takes point after point from memory
 * shared with the process that searches, and runs the target on each.
 *
 * The instrumented code provides nanoscope_run, nanoscope_reset, nanoscope_resets
 * and nanoscope_cutoffs; it counts nanoscope_fuel down and calls nanoscope_stop
 * when it is below zero, or where an external function is missing. */

#include <stdint.h>

struct nanoscope_batch {
    const uint64_t *points; /* count * words */
    uint64_t *outputs;      /* overwritten by every run */
    uint64_t count, next;
    uint64_t words; /* of a point */
    int64_t fuel;   /* for one run */
    uint64_t stopped;
    uint64_t burnt; /* fuel, by all runs */
    uint64_t most;  /* from so much on, no further run is begun */
    uint8_t *late;  /* a byte a point: 1, its run ran out of fuel; 2, it was ended otherwise */
};

extern void nanoscope_run(const uint64_t *inputs, uint64_t *outputs);
extern void nanoscope_reset(void);
extern const uint32_t nanoscope_resets; /* 0: no global is ever written */

/* Before the first batch the program's static initialisers run: unobserved, without a limit
 * of their own. */
static void unobserved(uint32_t site, const uint64_t *record) { (void)site, (void)record; }

int64_t nanoscope_fuel = INT64_MAX;
void (*nanoscope_probe)(uint32_t site, const uint64_t *record) = unobserved;

/* Where a run that has to end early goes back to: __builtin_longjmp's buffer. */
static void *home[5];

_Noreturn void nanoscope_stop(void) { __builtin_longjmp(home, 1); }

/* A target may change the rounding mode, mask exceptions or leave values on the
 * x87 stack; the next point must not notice. Reading the control words is cheaper
 * than writing them. The six flags in MXCSR's low bits are left as they are. */
static inline void restore_modes(uint32_t mxcsr, uint16_t control) {
    uint32_t mxcsr_now;
    uint16_t control_now;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr_now));
    __asm__ volatile("fnstcw %0" : "=m"(control_now));
    if (__builtin_expect((mxcsr_now & ~0x3fu) != mxcsr, 0))
        __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    if (__builtin_expect(control_now != control, 0))
        __asm__ volatile("fldcw %0" : : "m"(control));
}

static __attribute__((noinline)) void run_points(struct nanoscope_batch *batch, uint32_t mxcsr,
                                                 uint16_t control) {
    const uint64_t count = batch->count, words = batch->words;
    const int64_t fuel = batch->fuel;
    uint64_t *const outputs = batch->outputs;
    const uint64_t *point = batch->points + batch->next * words;
    const uint64_t most = batch->most;
    for (uint64_t next = batch->next; next < count && batch->burnt < most; next++, point += words) {
        /* Before the run: after a crash the culprit is next - 1. A store that the
         * compiler may not delay, since another process reads it. */
        __atomic_store_n(&batch->next, next + 1, __ATOMIC_RELEASE);
        nanoscope_fuel = fuel;
        if (nanoscope_resets)
            nanoscope_reset();
        nanoscope_run(point, outputs);
        batch->burnt += (uint64_t)(fuel - nanoscope_fuel);
        restore_modes(mxcsr, control);
    }
}

void nanoscope_batch(struct nanoscope_batch *batch) {
    /* Volatile: their values are needed again after the long jump. */
    struct nanoscope_batch *volatile kept = batch;
    volatile uint32_t mxcsr;
    volatile uint16_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(control));
    mxcsr &= ~0x3fu;
    if (__builtin_setjmp(home)) {
        /* The run was left in the middle: empty the x87 stack, clear the direction flag. */
        __asm__ volatile("fninit\n\tcld" ::: "cc");
        kept->stopped++;
        kept->burnt += (uint64_t)(kept->fuel - nanoscope_fuel);
        kept->late[kept->next - 1] = nanoscope_fuel < 0 ? 1 : 2;
        restore_modes(mxcsr, control);
        __asm__ volatile("fldcw %0" : : "m"(control));
    }
    run_points(kept, mxcsr, control);
}
