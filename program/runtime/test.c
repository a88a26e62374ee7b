/* The small runtime of a whole program that is run natively: a fork server, the inputs in
 * the order in which the program asks for them, and an account of how the run ended.
 *
 * Linked into the program, it takes over before main: it waits for orders, forks for each,
 * and only the child goes on to main, confined. Everything that host and child tell each
 * other is on the board, a piece of shared memory; native/src/whole/board.rs has the same
 * layout. Definitions of what programs call are weak: what the program defines itself is
 * the program's. And what is called here is never the program's: system calls are made
 * directly, other calls go to names that the C library keeps for itself. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define WEAK __attribute__((weak))

/* ---- What is called here ------------------------------------------------------- */

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

/* A system call: 0 or more, or minus an error number. */
#define CALL_6(name, a, b, c, d, e, f, ...)                                                        \
    system_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL(name, ...) CALL_6(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)

pid_t fork_as_libc_does(void) __asm__("__fork");
int handle_signal(int, const struct sigaction *, struct sigaction *) __asm__("__sigaction");
int __cxa_atexit(void (*)(void *), void *, void *);

static void copy_bytes(void *to, const void *from, size_t size) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void clear_bytes(void *to, size_t size) {
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}

static size_t length_of(const char *text, size_t most) {
    size_t length = 0;
    while (length < most && *(const volatile char *)(text + length)) length++;
    return length;
}

__attribute__((noreturn)) static void end_process(int status) {
    for (;;) CALL(exit_group, status);
}

/* Descriptors that the host leaves open. */
enum { ORDERS = 198, ANSWERS = 199, BOARD = 200, RULES = 201 };

enum order { RUN = 1, WRITE_PROFILE = 2 };

enum outcome {
    UNTOLD = 0,
    ASSERTION = 1,
    ERROR_CALL = 2,
    ABORTED = 3,
    SIGNALLED = 4,
    REJECTED = 5,
    SILENT = 6,
    MISSING = 7,
    SHORT = 8, /* more was asked for than is given */
    FINISHED = 9,
};

enum { MOST_FRAMES = 64, MOST_TROUBLES = 16, MOST_TEXT = 1024 };

struct trouble {
    uint32_t line, column, frames, unused;
    char kind[64];
    char file[512];
    uint64_t frame[MOST_FRAMES];
};

struct board {
    /* from the host */
    uint64_t generate; /* 0: as given, else: generate from `seed` */
    uint64_t seed;
    uint64_t milliseconds;
    uint64_t memory;
    uint64_t given_bytes, time_bytes, stdin_bytes;
    uint64_t words, output_words;
    uint64_t filter; /* instructions of the system call filter */
    uint64_t rules;  /* whether there are rules on files */
    uint64_t dictionary;
    uint64_t stdin_generated; /* bytes of standard input to make up */
    char profile[MOST_TEXT];
    /* from the child */
    uint64_t outcome, line, frames, asked_bytes, troubles, edges, counters, outputs_written;
    uint64_t stdin_made;
    uint64_t branches; /* ways of branches, as many as there is room for */
    uint64_t frame[MOST_FRAMES];
    char text[MOST_TEXT], file[MOST_TEXT], function[MOST_TEXT];
    struct trouble trouble[MOST_TROUBLES];
};

/* Where the sections of the board begin, and how long they are. */
#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
enum : uint64_t {
    FILTER_AT = 64 * KIB,
    STDIN_AT = 128 * KIB,
    STDIN_MOST = 64 * KIB,
    DICTIONARY_AT = 192 * KIB,
    TIMES_AT = 256 * KIB,
    WORDS_AT = 320 * KIB,
    OUTPUTS_AT = 448 * KIB,
    GIVEN_AT = 1 * MIB,
    ASKED_AT = 5 * MIB,
    ASKED_MOST = 4 * MIB,
    EDGES_AT = 9 * MIB,
    EDGES_MOST = 1 * MIB,
    COUNTERS_AT = 10 * MIB,
    COUNTERS_MOST = 256 * KIB,
    BRANCHES_AT = 11 * MIB,
    BRANCHES_MOST = 1 * MIB,
    WHOLE = 12 * MIB,
};

static struct board *board;
static uint8_t *base;
static uint64_t given_at, time_at;

static void leave(void) __attribute__((noreturn));

/* ---- Telling ------------------------------------------------------------------- */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

struct walk {
    uint64_t *frame;
    uint64_t count;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data) {
    struct walk *walk = data;
    int before = 0;
    uintptr_t at = _Unwind_GetIPInfo(context, &before);
    if (at == 0 || walk->count == MOST_FRAMES) return _URC_END_OF_STACK;
    /* A return address is that of the next instruction, which may be another line's. */
    walk->frame[walk->count++] = at - (before ? 0 : 1) - (uintptr_t)__ehdr_start;
    return _URC_NO_REASON;
}

static uint64_t stack(uint64_t *frame) {
    struct walk walk = {frame, 0};
    _Unwind_Backtrace(step, &walk);
    return walk.count;
}

static void copy_text(char *to, size_t most, const char *from) {
    size_t length = from ? length_of(from, most - 1) : 0;
    if (length) copy_bytes(to, from, length);
    to[length] = 0;
}

static void tell(enum outcome outcome, const char *text, const char *file, unsigned line,
                 const char *function) {
    if (!board || board->outcome != UNTOLD) return;
    board->outcome = outcome;
    board->line = line;
    copy_text(board->text, MOST_TEXT, text);
    copy_text(board->file, MOST_TEXT, file);
    copy_text(board->function, MOST_TEXT, function);
    board->frames = stack(board->frame);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)info;
    (void)context;
    tell(SIGNALLED, "", "", (unsigned)number, "");
    leave();
}

/* ---- Coverage ------------------------------------------------------------------ */

extern uint64_t *__llvm_profile_begin_counters(void) WEAK;
extern uint64_t *__llvm_profile_end_counters(void) WEAK;
extern uint64_t __llvm_profile_get_size_for_buffer(void) WEAK;
extern int __llvm_profile_write_buffer(char *) WEAK;

static uint64_t counters(void) {
    if (!__llvm_profile_begin_counters || !__llvm_profile_end_counters) return 0;
    uint64_t count = (uint64_t)(__llvm_profile_end_counters() - __llvm_profile_begin_counters());
    return count < COUNTERS_MOST ? count : COUNTERS_MOST;
}

/* Adds what this run counted to what all runs did: one writer at a time. */
static void add_counters(void) {
    static int added;
    if (!board || added) return;
    added = 1;
    uint64_t *all = (uint64_t *)(base + COUNTERS_AT), count = counters();
    for (uint64_t i = 0; i < count; i++) all[i] += __llvm_profile_begin_counters()[i];
}

static void write_profile(void) {
    uint64_t *all = (uint64_t *)(base + COUNTERS_AT), count = counters();
    board->counters = count;
    if (!count) return;
    copy_bytes(__llvm_profile_begin_counters(), all, count * sizeof *all);
    /* To memory of our own: what writes files takes its memory from malloc. */
    uint64_t size = __llvm_profile_get_size_for_buffer();
    int manner = MAP_PRIVATE | MAP_ANONYMOUS;
    long place = CALL(mmap, NULL, size, PROT_READ | PROT_WRITE, manner, -1, 0);
    if (place < 0 || __llvm_profile_write_buffer((char *)place)) return;
    long file = CALL(openat, AT_FDCWD, board->profile, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (uint64_t done = 0; done < size;) {
        long written = CALL(write, file, place + (long)done, size - done);
        if (written <= 0) break;
        done += (uint64_t)written;
    }
    CALL(close, file);
    CALL(munmap, place, size);
}

static uint32_t guards;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    if (start == stop || *start) return;
    for (uint32_t *guard = start; guard < stop; guard++) {
        *guard = guards + 1 < EDGES_MOST ? ++guards : guards;
    }
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    if (base) base[EDGES_AT + *guard] = 1;
}

/* ---- What sanitisers say ------------------------------------------------------- */

extern void __asan_init(void) WEAK;
extern const char *__asan_get_report_description(void) WEAK;
extern void __ubsan_get_current_report_data(const char **, const char **, const char **, unsigned *,
                                            unsigned *, char **) WEAK;

static struct trouble *new_trouble(const char *kind) {
    if (!board || board->troubles == MOST_TROUBLES) return NULL;
    struct trouble *trouble = &board->trouble[board->troubles++];
    copy_text(trouble->kind, sizeof trouble->kind, kind);
    trouble->frames = (uint32_t)stack(trouble->frame);
    return trouble;
}

void __asan_on_error(void) {
    new_trouble(__asan_get_report_description ? __asan_get_report_description() : "");
    add_counters();
}

void __ubsan_on_report(void) {
    const char *kind = "", *message = "", *file = "";
    unsigned line = 0, column = 0;
    char *address = NULL;
    if (__ubsan_get_current_report_data) {
        __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    }
    struct trouble *trouble = new_trouble(kind);
    if (!trouble) return;
    trouble->line = line;
    trouble->column = column;
    copy_text(trouble->file, sizeof trouble->file, file);
}

/* Told by code that clang did not check when it read it. */
void nanoscope_overshift(void) { new_trouble("invalid-shift-exponent"); }

void nanoscope_overshift_where(int poisoned) {
    if (poisoned) new_trouble("invalid-shift-exponent");
}

void nanoscope_unreachable(void) {
    new_trouble("unreachable-call");
    leave();
}

/* ---- The server ---------------------------------------------------------------- */

static void leave(void) {
    add_counters();
    end_process(0);
}

static void finished(void *unused) {
    (void)unused;
    if (board && board->outcome == UNTOLD) board->outcome = FINISHED;
    add_counters();
}

struct instruction {
    uint16_t code;
    uint8_t yes, no;
    uint32_t k;
};

/* Stands in the filter for the child's own number. */
enum { OWN_NUMBER = 0x7edcba98 };

static void limit(int what, uint64_t most) {
    struct rlimit limit = {most, most};
    CALL(prlimit64, 0, what, &limit, 0);
}

static uint64_t space_in_use(void) {
    char text[64] = "";
    long file = CALL(openat, AT_FDCWD, "/proc/self/statm", O_RDONLY);
    CALL(read, file, text, sizeof text - 1);
    CALL(close, file);
    uint64_t pages = 0;
    for (const char *at = text; *at >= '0' && *at <= '9'; at++) pages = pages * 10 + (uint64_t)(*at - '0');
    return pages * 4096;
}

static void confine(void) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 16 << 20);
    limit(RLIMIT_AS, space_in_use() + board->memory);
    long refused = CALL(prctl, PR_SET_NO_NEW_PRIVS, 1);
    if (board->rules) {
        refused |= CALL(landlock_restrict_self, RULES, 0);
        CALL(close, RULES);
    }
    if (board->filter) {
        struct instruction *filter = (struct instruction *)(base + FILTER_AT);
        static struct instruction own[4096]; /* as many as a filter may have */
        for (uint64_t i = 0; i < board->filter; i++) {
            own[i] = filter[i];
            if (own[i].k == OWN_NUMBER) own[i].k = (uint32_t)CALL(getpid, 0);
        }
        struct {
            unsigned short length;
            struct instruction *filter;
        } program = {(unsigned short)board->filter, own};
        refused |= CALL(prctl, PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, &program);
    }
    if (refused) end_process(86);
}

static uint64_t random_word(void);

static void prepare_stdin(void) {
    uint64_t length = board->stdin_bytes;
    if (board->generate && board->stdin_generated) {
        /* Mostly what numbers and words are made of. */
        static const char likely[] = "0123456789+-.eE infaxNAN\n ,0x";
        length = board->stdin_generated < STDIN_MOST ? board->stdin_generated : STDIN_MOST;
        for (uint64_t i = 0; i < length; i++) {
            uint64_t word = random_word();
            base[STDIN_AT + i] =
                word % 8 ? (uint8_t)likely[word / 8 % (sizeof likely - 1)] : (uint8_t)(word >> 32);
        }
        board->stdin_made = length;
    }
    if (!length) return;
    long file = CALL(memfd_create, "stdin", 0);
    if (file < 0 || CALL(write, file, base + STDIN_AT, length) != (long)length) end_process(86);
    CALL(lseek, file, 0, SEEK_SET);
    CALL(dup2, file, 0);
    CALL(close, file);
}

static void become_child(void) {
    CALL(prctl, PR_SET_PDEATHSIG, SIGKILL);
    CALL(close, ORDERS);
    CALL(close, ANSWERS);
    CALL(close, BOARD);
    prepare_stdin();
    static uint8_t alternative[64 * 1024];
    stack_t place = {.ss_sp = alternative, .ss_size = sizeof alternative};
    CALL(sigaltstack, &place, NULL);
    static struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const int signals[] = {SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGSEGV, SIGBUS};
    /* Where an address is wrong, AddressSanitizer knows more. */
    unsigned count = __asan_init ? 5 : 7;
    for (unsigned i = 0; i < count; i++) handle_signal(signals[i], &action, NULL);
    __cxa_atexit(finished, NULL, NULL);
    confine();
}

/* Runs the program once: comes back in the child. */
static int run(void) {
    pid_t child = fork_as_libc_does();
    if (child == 0) {
        become_child();
        return 1;
    }
    int32_t answer[2] = {0, 0};
    if (child < 0) {
        answer[1] = -1;
    } else {
        struct pollfd watch = {(int)CALL(pidfd_open, child, 0), POLLIN, 0};
        long ready;
        do {
            ready = CALL(poll, &watch, 1, (int)board->milliseconds);
        } while (ready == -EINTR);
        if (ready == 0) {
            answer[1] = 1;
            CALL(kill, child, SIGKILL);
        }
        int status = 0;
        while (CALL(wait4, child, &status, 0, NULL) == -EINTR) continue;
        answer[0] = status;
        CALL(close, watch.fd);
    }
    if (CALL(write, ANSWERS, answer, sizeof answer) != sizeof answer) end_process(0);
    return 0;
}

/* Takes a variable out of the environment: whether it was there. */
static int take_variable(char **environment, const char *name) {
    int taken = 0;
    char **kept = environment;
    for (; *environment; environment++) {
        size_t at = 0;
        while (name[at] && (*environment)[at] == name[at]) at++;
        if (!name[at] && (*environment)[at] == '=') {
            taken = 1;
        } else {
            *kept++ = *environment;
        }
    }
    *kept = NULL;
    return taken;
}

__attribute__((constructor(101))) static void serve(int count, char **words, char **environment) {
    (void)count, (void)words;
    if (!take_variable(environment, "NANOSCOPE_SERVE")) return;
    CALL(prctl, PR_SET_PDEATHSIG, SIGKILL);
    long place = CALL(mmap, NULL, WHOLE, PROT_READ | PROT_WRITE, MAP_SHARED, BOARD, 0);
    if (place < 0) end_process(86);
    base = (uint8_t *)place;
    board = (struct board *)place;
    board->edges = guards + 1;
    board->counters = counters();
    int32_t order, ready[2] = {0, 0};
    if (CALL(write, ANSWERS, ready, sizeof ready) != sizeof ready) end_process(0);
    while (CALL(read, ORDERS, &order, sizeof order) == sizeof order) {
        if (order == WRITE_PROFILE) {
            write_profile();
            if (CALL(write, ANSWERS, ready, sizeof ready) != sizeof ready) end_process(0);
        } else if (run()) {
            return;
        }
    }
    end_process(0);
}

/* ---- Making inputs up ---------------------------------------------------------- */

static uint64_t random_word(void) {
    /* splitmix64 */
    uint64_t word = board->seed += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static double from_dictionary(void) {
    const double *numbers = (const double *)(base + DICTIONARY_AT);
    return board->dictionary ? numbers[random_word() % board->dictionary] : 0;
}

static double some_float(void) {
    static const double edges[] = {
        0.0,  -0.0, 1.0,    -1.0,    0.5,      2.0,      -2.0,     10.0,     0.1,     100.0,
        1e-3, 1e10, 1e-310, 5e-324,  1e308,    -1e308,   1e16,     9007199254740992.0,
        3.4028234663852886e38, 1.1754943508222875e-38, 2147483648.0, -2147483649.0,
        9223372036854775808.0, 1.7976931348623157e308, 2.2250738585072014e-308,
    };
    double value;
    uint64_t word = random_word();
    switch (word % 8) {
    case 0: return edges[word / 8 % (sizeof edges / sizeof *edges)];
    case 1:
        switch (word / 8 % 3) {
        case 0: return __builtin_inf();
        case 1: return -__builtin_inf();
        default: return __builtin_nan("");
        }
    case 2: return (double)((int64_t)(word / 8 % 2001) - 1000) / (word >> 40 & 1 ? 1.0 : 8.0);
    case 3: return from_dictionary();
    case 4: {
        /* next to a number of the program */
        int64_t bits;
        value = from_dictionary();
        copy_bytes(&bits, &value, 8);
        bits += (int64_t)(word / 8 % 5) - 2;
        copy_bytes(&value, &bits, 8);
        return value;
    }
    case 5: return (double)(int64_t)random_word() / 9223372036854775808.0;
    case 6: return ((double)(int64_t)random_word() / 9223372036854775808.0) * 1000.0;
    default: copy_bytes(&value, &(uint64_t){random_word()}, 8); return value;
    }
}

static uint64_t some_integer(unsigned bits) {
    uint64_t word = random_word(), pick = random_word();
    switch (word % 8) {
    case 0: return word / 8 % 4;
    case 1: return -(word / 8 % 4);
    case 2: return (word / 8 % 256) - 128;
    case 3: return (UINT64_C(1) << (bits - 1)) - (pick % 3);
    case 4: return UINT64_C(1) << pick % bits;
    case 5: case 6: {
        double number = from_dictionary();
        int64_t whole = number > -9e18 && number < 9e18 ? (int64_t)number : 0;
        return (uint64_t)whole + pick % 3 - 1;
    }
    default: return pick;
    }
}

static void make_float(void *to, size_t size) {
    double value = some_float();
    switch (size) {
    case 2: { _Float16 half = (_Float16)value; copy_bytes(to, &half, 2); break; }
    case 4: { float single = (float)value; copy_bytes(to, &single, 4); break; }
    case 8: copy_bytes(to, &value, 8); break;
    case 10: { long double extended = value; copy_bytes(to, &extended, 10); break; }
    default: { __float128 quad = value; copy_bytes(to, &quad, size < 16 ? size : 16); break; }
    }
}

static void make_integer(void *to, size_t size) {
    uint64_t value = some_integer(size >= 8 ? 64 : (unsigned)size * 8);
    uint64_t sign = (uint64_t)((int64_t)value >> 63);
    for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = (uint8_t)(i < 8 ? value >> 8 * i : sign);
}

/* Memory whose type nobody tells: numbers of one size, or letters. */
static void make_memory(void *to, size_t size) {
    uint64_t word = random_word();
    uint8_t *bytes = to;
    size_t step = size % 8 == 0 && (word & 1) ? 8 : size % 4 == 0 ? 4 : size == 16 ? 16 : 1;
    if (size > 16 && (word >> 8 & 3) == 0) step = 1;
    for (size_t i = 0; i + step <= size; i += step) {
        if (step == 1) {
            uint64_t letter = random_word();
            bytes[i] = (uint8_t)(letter & 1 ? 32 + letter / 2 % 95 : letter >> 8);
            if (letter % 13 == 0) bytes[i] = 0;
        } else if (word & 2) {
            make_float(bytes + i, step);
        } else {
            make_integer(bytes + i, step);
        }
    }
    if (step == 16 && (word & 2)) {
        long double extended = some_float();
        clear_bytes(to, 16);
        copy_bytes(to, &extended, 10);
    }
}

/* ---- Inputs -------------------------------------------------------------------- */

enum manner { SYMBOLIC = 0, FLOAT = 1, INTEGER = 2, RANGE = 3, CLOCK = 4 };

/* A record on the board: how, length, length of the name, name, bytes; in eights. */
static void record(enum manner manner, const char *name, const void *bytes, size_t size) {
    size_t name_size = name ? length_of(name, 255) : 0;
    uint64_t at = ASKED_AT + board->asked_bytes;
    uint64_t needed = (16 + name_size + size + 7) & ~UINT64_C(7);
    if (board->asked_bytes + needed > ASKED_MOST) {
        tell(SHORT, "", "", 0, "");
        leave();
    }
    uint32_t head[4] = {manner, (uint32_t)size, (uint32_t)name_size, 0};
    copy_bytes(base + at, head, 16);
    if (name_size) copy_bytes(base + at + 16, name, name_size);
    copy_bytes(base + at + 16 + name_size, bytes, size);
    board->asked_bytes += needed;
}

/* The next of what is given: a length and that many bytes, in eights. */
static void next(uint64_t *at, uint64_t from, uint64_t most, void *to, size_t size) {
    if (*at >= most) {
        tell(SHORT, "", "", 0, "");
        leave();
    }
    uint64_t length;
    copy_bytes(&length, base + from + *at, 8);
    copy_bytes(to, base + from + *at + 8, length < size ? length : size);
    *at += 8 + ((length + 7) & ~UINT64_C(7));
}

static void input(enum manner manner, const char *name, void *to, size_t size) {
    if (!board) return;
    if (!board->generate) {
        next(&given_at, GIVEN_AT, board->given_bytes, to, size);
    } else {
        switch (manner) {
        case FLOAT: make_float(to, size); break;
        case INTEGER: make_integer(to, size); break;
        case SYMBOLIC: make_memory(to, size); break;
        case RANGE: case CLOCK: break; /* made where the range is known */
        }
    }
    record(manner, name, to, size);
}

WEAK void klee_make_symbolic(void *place, size_t size, const char *name) {
    input(SYMBOLIC, name, place, size);
}

WEAK void klee_assume(uintptr_t condition) {
    if (condition) return;
    tell(REJECTED, "", "", 0, "");
    leave();
}

WEAK int klee_range(int begin, int end, const char *name) {
    int value = 0;
    if ((int64_t)begin + 1 == end) return begin;
    if (board && board->generate) {
        uint64_t span = (uint64_t)((int64_t)end - begin);
        uint64_t word = random_word();
        uint64_t near = word & 8 ? (word >> 8) % 4 : span - 1 - (word >> 8) % 4;
        value = (int)(begin + (int64_t)((word & 3) && span ? near % span : span ? word / 8 % span : 0));
    }
    input(RANGE, name, &value, sizeof value);
    if (value < begin || value >= end) klee_assume(0);
    return value;
}

WEAK int klee_int(const char *name) {
    int value = 0;
    input(INTEGER, name, &value, sizeof value);
    return value;
}

WEAK uintptr_t klee_choose(uintptr_t n) {
    uintptr_t value = 0;
    if (board && board->generate) value = n ? random_word() % n : 0;
    input(RANGE, "klee_choose", &value, sizeof value);
    if (value >= n) klee_assume(0);
    return value;
}

WEAK void klee_silent_exit(int status) {
    (void)status;
    tell(SILENT, "", "", 0, "");
    leave();
}

WEAK unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0; }
WEAK unsigned klee_is_replay(void) { return 0; }
WEAK void klee_prefer_cex(void *place, uintptr_t condition) { (void)place, (void)condition; }
WEAK void klee_posix_prefer_cex(void *place, uintptr_t condition) { (void)place, (void)condition; }
WEAK void klee_mark_global(void *place) { (void)place; }
WEAK void klee_warning(const char *text) { (void)text; }
WEAK void klee_warning_once(const char *text) { (void)text; }
WEAK void klee_print_expr(const char *text, ...) { (void)text; }
WEAK void klee_print_range(const char *text, int value) { (void)text, (void)value; }
WEAK void klee_set_forking(unsigned enable) { (void)enable; }
WEAK void klee_stack_trace(void) {}
WEAK void klee_alias_function(const char *name, const char *other) { (void)name, (void)other; }
WEAK int klee_get_errno(void) { return 0; }
WEAK int klee_get_rounding_mode(void) { return fegetround() >> 10; }
WEAK void klee_set_rounding_mode(int mode) { fesetround(mode << 10); }
WEAK void klee_open_merge(void) {}
WEAK void klee_close_merge(void) {}
WEAK void klee_check_memory_access(const void *place, size_t size) {
    for (size_t i = 0; i < size; i++) (void)((const volatile char *)place)[i];
}
WEAK float klee_get_valuef(float value) { return value; }
WEAK double klee_get_valued(double value) { return value; }
WEAK long klee_get_valuel(long value) { return value; }
WEAK long long klee_get_valuell(long long value) { return value; }
WEAK int32_t klee_get_value_i32(int32_t value) { return value; }
WEAK int64_t klee_get_value_i64(int64_t value) { return value; }
WEAK float klee_get_value_f(float value) { return value; }
WEAK double klee_get_value_d(double value) { return value; }

#define NONDET(suffix, type, manner, size)                                                         \
    WEAK type __VERIFIER_nondet_##suffix(void) {                                                   \
        type value = (type)0;                                                                      \
        input(manner, "__VERIFIER_nondet_" #suffix, &value, size);                                 \
        return value;                                                                              \
    }

#define NONDET_INTEGER(suffix, type) NONDET(suffix, type, INTEGER, sizeof value)

/* clang-format off */
NONDET_INTEGER(char, char)              NONDET_INTEGER(uchar, unsigned char)
NONDET_INTEGER(schar, signed char)      NONDET_INTEGER(unsigned_char, unsigned char)
NONDET_INTEGER(short, short)            NONDET_INTEGER(ushort, unsigned short)
NONDET_INTEGER(int, int)                NONDET_INTEGER(uint, unsigned)
NONDET_INTEGER(unsigned, unsigned)      NONDET_INTEGER(unsigned_int, unsigned)
NONDET_INTEGER(long, long)              NONDET_INTEGER(ulong, unsigned long)
NONDET_INTEGER(longlong, long long)     NONDET_INTEGER(ulonglong, unsigned long long)
NONDET_INTEGER(loff_t, long)            NONDET_INTEGER(off_t, long)
NONDET_INTEGER(size_t, size_t)          NONDET_INTEGER(ssize_t, ssize_t)
NONDET_INTEGER(sector_t, unsigned long) NONDET_INTEGER(pthread_t, unsigned long)
NONDET_INTEGER(u8, uint8_t)             NONDET_INTEGER(u16, uint16_t)
NONDET_INTEGER(u32, uint32_t)           NONDET_INTEGER(u64, uint64_t)
NONDET_INTEGER(S8, int8_t)              NONDET_INTEGER(U8, uint8_t)
NONDET_INTEGER(S16, int16_t)            NONDET_INTEGER(U16, uint16_t)
NONDET_INTEGER(S32, int32_t)            NONDET_INTEGER(U32, uint32_t)
NONDET_INTEGER(S64, int64_t)            NONDET_INTEGER(U64, uint64_t)
NONDET_INTEGER(int8_t, int8_t)          NONDET_INTEGER(uint8_t, uint8_t)
NONDET_INTEGER(int16_t, int16_t)        NONDET_INTEGER(uint16_t, uint16_t)
NONDET_INTEGER(int32_t, int32_t)        NONDET_INTEGER(uint32_t, uint32_t)
NONDET_INTEGER(int64_t, int64_t)        NONDET_INTEGER(uint64_t, uint64_t)
NONDET_INTEGER(int128, __int128)        NONDET_INTEGER(uint128, unsigned __int128)
NONDET_INTEGER(intptr_t, intptr_t)      NONDET_INTEGER(uintptr_t, uintptr_t)
NONDET(float16, _Float16, FLOAT, 2)     NONDET(float, float, FLOAT, 4)
NONDET(double, double, FLOAT, 8)        NONDET(longdouble, long double, FLOAT, 10)
NONDET(long_double, long double, FLOAT, 10)
NONDET(float128, __float128, FLOAT, 16)
/* clang-format on */

/* An int, for programs that declare it so: the rest of the register is not a bool's. */
WEAK int __VERIFIER_nondet_bool(void) {
    uint8_t value = 0;
    if (board && board->generate) value = random_word() & 1;
    input(RANGE, "__VERIFIER_nondet_bool", &value, 1);
    return value != 0;
}

WEAK int __VERIFIER_nondet__Bool(void) { return __VERIFIER_nondet_bool(); }

WEAK void *__VERIFIER_nondet_pointer(void) {
    void *value = NULL;
    input(RANGE, "__VERIFIER_nondet_pointer", &value, sizeof value);
    return value;
}

WEAK void __VERIFIER_assume(int condition) { klee_assume(condition != 0); }

/* By whatever name the program asks: how wide, and whether a float, it has declared. */
void nanoscope_nondet(const char *name, void *place, size_t size, int is_float) {
    input(is_float ? FLOAT : INTEGER, name, place, size);
}

WEAK void __VERIFIER_atomic_begin(void) {}
WEAK void __VERIFIER_atomic_end(void) {}

WEAK void __VERIFIER_nondet_memory(void *place, size_t size) {
    input(SYMBOLIC, "__VERIFIER_nondet_memory", place, size);
}

/* ---- Ends ---------------------------------------------------------------------- */

WEAK void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    tell(ASSERTION, text, file, line, function);
    leave();
}

WEAK void __assert(const char *text, const char *file, int line) {
    tell(ASSERTION, text, file, (unsigned)line, "");
    leave();
}

WEAK void reach_error(void) {
    tell(ERROR_CALL, "reach_error", "", 0, "");
    leave();
}

WEAK void __VERIFIER_error(void) {
    tell(ERROR_CALL, "__VERIFIER_error", "", 0, "");
    leave();
}

WEAK void __VERIFIER_assert(int condition) {
    if (condition) return;
    tell(ERROR_CALL, "__VERIFIER_assert", "", 0, "");
    leave();
}

/* A branch is about to go a way: where it stands, and the value that decides. */
void nanoscope_branch(uint32_t line, uint32_t column, uint64_t value) {
    struct branch {
        uint32_t line, column;
        uint64_t value;
    } branch = {line, column, value};
    if (!board || (board->branches + 1) * sizeof branch > BRANCHES_MOST) return;
    copy_bytes((char *)board + BRANCHES_AT + board->branches++ * sizeof branch, &branch,
               sizeof branch);
}

/* The program's own reach_error begins with this. */
void nanoscope_error_call(const char *name) {
    if (!board) return;
    tell(ERROR_CALL, name, "", 0, "");
    leave();
}

WEAK void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
    (void)message, (void)suffix;
    tell(ERROR_CALL, "klee_report_error", file, (unsigned)line, "");
    leave();
}

WEAK void klee_assert(uintptr_t condition) {
    if (condition) return;
    tell(ASSERTION, "", "", 0, "");
    leave();
}

WEAK void klee_abort(void) {
    tell(ABORTED, "klee_abort", "", 0, "");
    leave();
}

WEAK void abort(void) {
    if (board) {
        tell(ABORTED, "abort", "", 0, "");
        leave();
    }
    static const struct sigaction usual;
    handle_signal(SIGABRT, &usual, NULL);
    CALL(tgkill, CALL(getpid, 0), CALL(gettid, 0), SIGABRT);
    end_process(134);
}

/* A function that is nowhere to be found. */
void nanoscope_missing(const char *name) {
    tell(MISSING, name, "", 0, "");
    leave();
}

static int64_t clock_says(const char *name, uint64_t most) {
    int64_t now = 0;
    if (!board) return now;
    if (!board->generate) {
        next(&time_at, TIMES_AT, board->time_bytes, &now, 8);
    } else {
        now = (int64_t)(random_word() % most);
    }
    record(CLOCK, name, &now, 8);
    return now;
}

WEAK time_t time(time_t *place) {
    int64_t now = clock_says("time", UINT64_C(4000000000));
    if (place) *place = now;
    return now;
}

WEAK clock_t clock(void) { return clock_says("clock", UINT64_C(1000000000)); }

WEAK int gettimeofday(struct timeval *restrict place, void *restrict zone) {
    (void)zone;
    place->tv_sec = clock_says("gettimeofday", UINT64_C(4000000000));
    place->tv_usec = clock_says("gettimeofday", 1000000);
    return 0;
}

WEAK int clock_gettime(clockid_t which, struct timespec *place) {
    (void)which;
    place->tv_sec = clock_says("clock_gettime", UINT64_C(4000000000));
    place->tv_nsec = clock_says("clock_gettime", 1000000000);
    return 0;
}

/* ---- A function instead of main ------------------------------------------------ */

#ifdef NANOSCOPE_FUNCTION
void nanoscope_run(const uint64_t *inputs, uint64_t *outputs);

int main(void) {
    if (!board) return 0;
    nanoscope_run((const uint64_t *)(base + WORDS_AT), (uint64_t *)(base + OUTPUTS_AT));
    board->outputs_written = 1;
    return 0;
}
#endif
