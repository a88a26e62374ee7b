/* The agent: what runs inside the process under test.
 *
 * It uses no library and no floating-point register, so it can be preloaded into a dynamic
 * executable or written into a static one, and disturbs neither. The host decides everything;
 * the agent sets breakpoints, reads memory, forks, runs the function again from its first
 * instruction with changed inputs, and looks at the outputs. They talk through shared memory
 * (protocol.h): one channel a process, one side at a time.
 *
 * Two roles. The *subject* is the process that the user started: it stops at each call of a function
 * under test, forks a worker, and goes on as if nothing had happened. The *worker* keeps the moment
 * of the call and repeats it; it may fork another, to have a fresh one after a crash. */

#include "protocol.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* System calls. */

enum {
    SYS_mmap = 9, SYS_mprotect = 10, SYS_sigaction = 13, SYS_sigprocmask = 14, SYS_dup2 = 33,
    SYS_pread = 17, SYS_setitimer = 38, SYS_getpid = 39, SYS_getrusage = 98, SYS_clone = 56, SYS_getppid = 110, SYS_sigaltstack = 131, SYS_prctl = 157,
    SYS_arch_prctl = 158,
    SYS_gettid = 186, SYS_futex = 202, SYS_clock_gettime = 228, SYS_exit_group = 231, SYS_open = 2, SYS_close = 3,
    SYS_process_vm_readv = 310, SYS_lseek = 8, SYS_fcntl = 72, SYS_ftruncate = 77, SYS_memfd_create = 319,
};

static long call6(long n, long a, long b, long c, long d, long e, long f)
{
    long r;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}
#define call(n, a, b, c, d) call6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

HIDDEN void *memcpy(void *to, const void *from, unsigned long n)
{
    void *start = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return start;
}

HIDDEN void *memset(void *to, int byte, unsigned long n)
{
    void *start = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
    return start;
}

static int same(const u8 *a, const u8 *b, u64 n)
{
    for (u64 i = 0; i < n; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

/* State. Everything is per process: a fork has its own copy, but for the shared memory. */

static struct header *shared;
static u32 role; /* index of the channel this process talks through */
static int stepping_over = -1; /* the breakpoint that is being stepped over, in the subject */
static u64 step_end;           /* where that ends, if the instruction goes on there */
static u8 step_end_byte;
static u64 entries, next_entry;  /* calls of functions under test so far; the next that the host wants */

#define MOST_BREAKPOINTS 4096
static struct { u64 address; u32 kind; u32 id; u8 original, set, length; } breakpoints[MOST_BREAKPOINTS];
static u32 breakpoint_count;

HIDDEN struct state entry_state __attribute__((aligned(64)));   /* at the function's first instruction */
HIDDEN struct state stopped_state __attribute__((aligned(64))); /* where the last run stopped */
static struct state working_state __attribute__((aligned(64)));
static struct state middle_state __attribute__((aligned(64)));
HIDDEN u64 agent_saved_stack;
HIDDEN u64 agent_stop_reason;
HIDDEN u64 agent_components; /* of the extended state that are saved and restored */
static u64 state_bytes;      /* how much of the extended state that is */

static volatile u32 running, ticks, tick_limit, stop_signal;
static u64 stop_breakpoint;
static u8 worker_stack[1 << 16] __attribute__((aligned(64)));
static u8 signal_stack[1 << 16] __attribute__((aligned(64)));
static u8 worker_signal_stack[1 << 16] __attribute__((aligned(64)));

/* The registers of `s` become the machine's; returns why the run stopped. */
HIDDEN u32 agent_run(struct state *s);
HIDDEN void agent_landing(void);
HIDDEN void agent_stopped(void);
HIDDEN void agent_restorer(void);
HIDDEN void agent_on_stack(void (*function)(void), void *top);

__asm__(
    ".text\n"
    ".hidden agent_run, agent_landing, agent_stopped, agent_restorer, agent_on_stack, agent_begin\n"
    "agent_run:\n"
    "  push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
    "  mov %rsp, agent_saved_stack(%rip)\n"
    "  mov agent_components(%rip), %eax\n"
    "  mov 4+agent_components(%rip), %edx\n"
    "  xrstor64 192(%rdi)\n"
    "  pushq $0x2b\n"          /* ss */
    "  pushq 32(%rdi)\n"       /* rsp */
    "  pushq 136(%rdi)\n"      /* rflags */
    "  pushq $0x33\n"          /* cs */
    "  pushq 128(%rdi)\n"      /* rip */
    "  mov 0(%rdi), %rax; mov 8(%rdi), %rcx; mov 16(%rdi), %rdx; mov 24(%rdi), %rbx\n"
    "  mov 40(%rdi), %rbp; mov 48(%rdi), %rsi\n"
    "  mov 64(%rdi), %r8; mov 72(%rdi), %r9; mov 80(%rdi), %r10; mov 88(%rdi), %r11\n"
    "  mov 96(%rdi), %r12; mov 104(%rdi), %r13; mov 112(%rdi), %r14; mov 120(%rdi), %r15\n"
    "  mov 56(%rdi), %rdi\n"
    "  iretq\n"
    /* The function returns to here. */
    "agent_landing:\n"
    "  mov %rax, 0+stopped_state(%rip); mov %rcx, 8+stopped_state(%rip)\n"
    "  mov %rdx, 16+stopped_state(%rip); mov %rbx, 24+stopped_state(%rip)\n"
    "  mov %rsp, 32+stopped_state(%rip); mov %rbp, 40+stopped_state(%rip)\n"
    "  mov %rsi, 48+stopped_state(%rip); mov %rdi, 56+stopped_state(%rip)\n"
    "  mov %r8, 64+stopped_state(%rip); mov %r9, 72+stopped_state(%rip)\n"
    "  mov %r10, 80+stopped_state(%rip); mov %r11, 88+stopped_state(%rip)\n"
    "  mov %r12, 96+stopped_state(%rip); mov %r13, 104+stopped_state(%rip)\n"
    "  mov %r14, 112+stopped_state(%rip); mov %r15, 120+stopped_state(%rip)\n"
    "  mov agent_saved_stack(%rip), %rsp\n"
    "  pushfq; popq 136+stopped_state(%rip)\n"
    "  cld\n"
    "  lea agent_landing(%rip), %rax\n"
    "  mov %rax, 128+stopped_state(%rip)\n"
    "  mov agent_components(%rip), %eax\n"
    "  mov 4+agent_components(%rip), %edx\n"
    "  xsave64 192+stopped_state(%rip)\n"
    "  xor %eax, %eax\n"       /* STOP_RETURNED */
    "  jmp 1f\n"
    "agent_stopped:\n"
    "  mov agent_stop_reason(%rip), %rax\n"
    "1: pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
    "  ret\n"
    "agent_restorer:\n"
    "  mov $15, %eax\n"
    "  syscall\n"
    /* Called where a static executable begins, by ptrace: what is in rdx there is the program's. */
    ".globl nanoscope_agent_enter\n"
    ".type nanoscope_agent_enter, @function\n"
    "nanoscope_agent_enter:\n"
    "  push %rdx\n"
    "  call agent_begin\n"
    "  pop %rdx\n"
    "  ret\n"
    "agent_on_stack:\n"
    "  mov %rsi, %rsp\n"
    "  xor %ebp, %ebp\n"
    "  call *%rdi\n"
    "  ud2\n");

/* Signals. */

struct action { void *handler; u64 flags; void *restorer; u64 mask; };
struct alternative { void *base; int flags; u64 size; };
struct context { /* ucontext_t of x86-64 Linux */
    u64 flags;
    void *link;
    struct { void *sp; int flags; u64 size; } stack;
    u64 r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, rflags;
    u16 cs, gs, fs, ss;
    u64 err, trapno, oldmask, cr2;
    u8 *fpstate;
};

enum { SIGILL = 4, SIGTRAP = 5, SIGABRT = 6, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11, SIGALRM = 14, SIGVTALRM = 26 };
#define TRAP_FLAG 0x100ul

/* The filter of system calls lets only this address set the handler of SIGTRAP: some run-time
 * libraries (gfortran's) would take it away. */
static void install(int signal, void *handler)
{
    struct action *action = (struct action *)ACTION_ADDRESS;
    action->handler = handler;
    action->flags = 0x4 | 0x04000000 | 0x08000000 | 0x40000000; /* siginfo restorer onstack nodefer */
    action->restorer = agent_restorer;
    action->mask = 0;
    call(SYS_sigaction, signal, action, 0, 8);
}

static void keep_state(struct state *s, const struct context *c)
{
    u64 *g = s->general;
    g[0] = c->rax; g[1] = c->rcx; g[2] = c->rdx; g[3] = c->rbx; g[4] = c->rsp; g[5] = c->rbp;
    g[6] = c->rsi; g[7] = c->rdi; g[8] = c->r8; g[9] = c->r9; g[10] = c->r10; g[11] = c->r11;
    g[12] = c->r12; g[13] = c->r13; g[14] = c->r14; g[15] = c->r15;
    s->rip = c->rip;
    s->rflags = c->rflags & ~TRAP_FLAG;
    if (c->fpstate) {
        u64 present;
        memcpy(s->extended, c->fpstate, state_bytes);
        memset(s->extended + 464, 0, 48);                    /* software bytes of the frame */
        memcpy(&present, s->extended + 512, 8);
        present &= agent_components;
        memset(s->extended + 512, 0, 64);
        memcpy(s->extended + 512, &present, 8);
    }
}

/* Ends the run that a signal interrupted: goes on in agent_run's caller. */
static void stop(struct context *c, u32 reason)
{
    keep_state(&stopped_state, c);
    running = 0;
    agent_stop_reason = reason;
    c->rip = (u64)agent_stopped;
    c->rsp = agent_saved_stack;
    c->rflags = 0x202;
}

/* Talking. */

static struct channel *channel_of(u32 index)
{
    return (struct channel *)((u8 *)shared + shared->channels_at + (u64)index * shared->channel_bytes);
}

/* Passes the turn to the host and waits to get it back. */
static struct channel *ask(u32 request)
{
    struct channel *c = channel_of(role);
    c->request = request;
    __atomic_store_n(&c->turn, TURN_HOST, __ATOMIC_RELEASE);
    call(SYS_futex, &c->turn, 1, 1, 0);
    while (__atomic_load_n(&c->turn, __ATOMIC_ACQUIRE) != TURN_AGENT)
        call(SYS_futex, &c->turn, 0, TURN_HOST, 0);
    return c;
}

static void leave(int code)
{
    for (;;)
        call(SYS_exit_group, code, 0, 0, 0);
}

/* Breakpoints. */

static void put(u64 address, u8 byte)
{
    *(volatile u8 *)address = byte;
}

static void set_all(u32 kinds)
{
    for (u32 i = 0; i < breakpoint_count; i++) {
        int wanted = (kinds >> breakpoints[i].kind) & 1;
        if (wanted != breakpoints[i].set) {
            put(breakpoints[i].address, wanted ? 0xcc : breakpoints[i].original);
            breakpoints[i].set = wanted;
        }
    }
}

static int find_breakpoint(u64 address)
{
    for (u32 i = 0; i < breakpoint_count; i++)
        if (breakpoints[i].address == address && breakpoints[i].set)
            return i;
    return -1;
}

/* `length` is the first instruction's, if it goes on to the next; else 0. */
static u64 add_breakpoint(u64 address, u32 kind, u32 id, u32 length)
{
    for (u32 i = 0; i < breakpoint_count; i++)
        if (breakpoints[i].address == address && breakpoints[i].kind == kind)
            return 0;
    if (breakpoint_count == MOST_BREAKPOINTS)
        return 1;
    u64 page = address & ~4095ul;
    if (call(SYS_mprotect, page, 4096, 7, 0) < 0)
        return 2;
    u32 i = breakpoint_count++;
    breakpoints[i].address = address;
    breakpoints[i].kind = kind;
    breakpoints[i].id = id;
    breakpoints[i].length = length;
    if (((address + length) & ~4095ul) != page && call(SYS_mprotect, (address + length) & ~4095ul, 4096, 7, 0) < 0)
        breakpoints[i].length = 0;
    breakpoints[i].original = *(u8 *)address;
    /* Another breakpoint there already: keep the true byte. */
    for (u32 k = 0; k < i; k++)
        if (breakpoints[k].address == address && breakpoints[k].set)
            breakpoints[i].original = breakpoints[k].original;
    breakpoints[i].set = 0;
    return 0;
}

/* Memory is read by the kernel, so a bad address is an answer and not a crash. */
static u64 read_memory(u8 *to, u64 from, u64 length)
{
    struct { void *base; u64 length; } local = { to, length }, remote = { (void *)from, length };
    long got = call6(SYS_process_vm_readv, call(SYS_getpid, 0, 0, 0, 0), (long)&local, 1, (long)&remote, 1, 0);
    if (got == -1 || got == -38) { /* forbidden: trust the address */
        memcpy(to, (void *)from, length);
        got = length;
    }
    return got < 0 ? 0 : got;
}

static void serve_read(struct channel *c)
{
    u64 length = c->argument[1];
    if (length > shared->data_bytes)
        length = shared->data_bytes;
    u64 from = c->argument[0];
    c->argument[0] = read_memory(c->data, from, length);
    /* The program has its own byte where a breakpoint is. */
    for (u32 i = 0; i < breakpoint_count; i++)
        if (breakpoints[i].set && breakpoints[i].address - from < length)
            c->data[breakpoints[i].address - from] = breakpoints[i].original;
}

/* Forks a process that talks through `channel`. Its parent is the host, which so learns how it
 * ends. Returns the child's id, or 0 in the child. */
static long split(u32 channel)
{
    enum { CLONE_PARENT = 0x8000 };
    long host = call(SYS_getppid, 0, 0, 0, 0);
    long child = call6(SYS_clone, CLONE_PARENT | 17, 0, 0, 0, 0, 0);
    if (child == 0) {
        role = channel;
        call(SYS_prctl, 1, 9, 0, 0); /* dies with the host ... */
        if (call(SYS_getppid, 0, 0, 0, 0) != host)
            leave(1); /* ... which died before the line above */
    }
    return child;
}

static void handle(int signal, void *information, struct context *c);

#include "worker.h"

/* What runs write, and what they make run-times write out, does not reach the program's files: these are still the
 * program's own. What may be read too is opened again, with a position of its own. */
static void leave_files_alone(long sink)
{
    enum { GET_FLAGS = 3, FIRST = 3, MOST = 64, WRITES = 3, BOTH = 2, READ_AT_ONCE = 04000 };
    for (long file = FIRST; file < MOST; file++) {
        long flags = call(SYS_fcntl, file, GET_FLAGS, 0, 0), own = -1;
        if (file == sink || flags < 0 || (flags & WRITES) == 0)
            continue;
        if ((flags & WRITES) == BOTH) {
            char path[] = "/proc/self/fd/\0\0";
            char *end = path + sizeof path - 3;
            if (file >= 10)
                *end++ = '0' + file / 10;
            *end = '0' + file % 10;
            own = call(SYS_open, path, READ_AT_ONCE, 0, 0);
        }
        if (own >= 0)
            call(SYS_lseek, own, call(SYS_lseek, file, 0, 1, 0), 0, 0);
        call(SYS_dup2, own >= 0 ? own : sink, file, 0, 0);
        if (own >= 0)
            call(SYS_close, own, 0, 0, 0);
    }
}

static void become_worker(void)
{
    set_all(0);
    struct alternative fresh = { worker_signal_stack, 0, sizeof worker_signal_stack };
    call(SYS_sigaltstack, &fresh, 0, 0, 0);
    u64 none = 0;
    call(SYS_sigprocmask, 2, &none, 0, 8);
    long sink = call(SYS_open, "/dev/null", 2, 0, 0);
    if (sink >= 0) {
        call(SYS_dup2, sink, 1, 0, 0);
        call(SYS_dup2, sink, 2, 0, 0);
        call(SYS_dup2, sink, 0, 0, 0);
        leave_files_alone(sink);
        if (sink > 2)
            call(SYS_close, sink, 0, 0, 0);
    }
    collect_messages();
    work();
    leave(0);
}

/* The subject at a breakpoint: does what the host says until it may go on. */
static void serve_subject(u32 request)
{
    struct channel *c = channel_of(role);
    for (;;) {
        c = ask(request);
        request = REQUEST_READY;
        switch (c->command) {
        case COMMAND_READ:
            serve_read(c);
            break;
        case COMMAND_BREAK:
            c->argument[0] = add_breakpoint(c->argument[0], c->argument[1], c->argument[2], c->argument[3]);
            break;
        case COMMAND_FORK: {
            u32 channel = c->argument[0];
            long child = split(channel);
            if (child == 0)
                agent_on_stack(become_worker, worker_stack + sizeof worker_stack - 64);
            c->argument[0] = child;
            break;
        }
        case COMMAND_RESOLVE:
            c->argument[0] = ((u64 (*)(void))c->argument[0])();
            break;
        case COMMAND_STREAM:
            add_stream(c);
            break;
        case COMMAND_GO:
            set_all(c->argument[0]);
            next_entry = c->argument[1];
            return;
        default:
            leave(0);
        }
    }
}

/* Weak: a static executable has none that we could link to. */
extern int *__errno_location(void) __attribute__((weak));

static void handle(int signal, void *information, struct context *c)
{
    (void)information;
    if (running) {
        handle_in_run(signal, c);
        return;
    }
    if (signal == SIGVTALRM || signal == SIGALRM)
        return;
    if (signal != SIGTRAP)
        leave(99); /* the agent itself went wrong, in a worker */
    u32 owner = shared->owner;
    if (call(SYS_getpid, 0, 0, 0, 0) != owner) {
        /* A child that the subject forked by itself: it shares our breakpoints, not our work. */
        set_all(0);
        int at = -1;
        for (u32 i = 0; i < breakpoint_count; i++)
            if (breakpoints[i].address == c->rip - 1)
                at = i;
        if (at >= 0)
            c->rip -= 1;
        return;
    }
    if (stepping_over >= 0) {
        if (step_end) {
            put(step_end, step_end_byte);
            c->rip -= 1;
            step_end = 0;
        }
        put(breakpoints[stepping_over].address, 0xcc);
        breakpoints[stepping_over].set = 1;
        stepping_over = -1;
        c->rflags &= ~TRAP_FLAG;
        return;
    }
    int at = find_breakpoint(c->rip - 1);
    if (at < 0)
        return; /* the program's own int3 */
    c->rip -= 1;
    struct channel *own = channel_of(0);
    u32 request = breakpoints[at].kind == BREAK_LOADER ? REQUEST_LOADED : REQUEST_ENTERED;
    if (request == REQUEST_ENTERED && call(SYS_gettid, 0, 0, 0, 0) != owner) {
        own = 0; /* another thread: it goes on undisturbed */
    } else if (request == REQUEST_LOADED || ++entries >= next_entry) {
        keep_state(&entry_state, c);
        call(SYS_arch_prctl, 0x1003, &entry_state.fs_base, 0, 0);
        memcpy(own->data, &entry_state, sizeof entry_state);
        own->argument[0] = breakpoints[at].id;
        own->argument[1] = c->rip;
        own->argument[2] = entries;
        serve_subject(request);
    }
    /* Step over the breakpoint. */
    if (breakpoints[at].set) {
        put(breakpoints[at].address, breakpoints[at].original);
        breakpoints[at].set = 0;
        stepping_over = at;
        u64 next = breakpoints[at].address + breakpoints[at].length;
        if (breakpoints[at].length && *(u8 *)next != 0xcc) {
            step_end = next;
            step_end_byte = *(u8 *)next;
            put(next, 0xcc);
        } else {
            c->rflags |= TRAP_FLAG;
        }
    }
}

/* Begins: called by the dynamic linker, or where a static executable does. */
HIDDEN void agent_begin(void)
{
    if (shared)
        return;
    long at = call6(SYS_mmap, 0, SHARED_BYTES, 3, 1, SHARED_DESCRIPTOR, 0);
    if (at < 0)
        return;
    struct header *header = (struct header *)at;
    if (header->magic != MAGIC || header->owner != call(SYS_getpid, 0, 0, 0, 0))
        return;
    if (call6(SYS_mmap, ACTION_ADDRESS, 4096, 3, 0x22 | 0x100000, -1, 0) != ACTION_ADDRESS)
        return;
    shared = header;
    agent_components = shared->components;
    state_bytes = shared->state_bytes;
    struct alternative alternative = { signal_stack, 0, sizeof signal_stack };
    call(SYS_sigaltstack, &alternative, 0, 0, 0);
    install(SIGTRAP, handle);
    call(SYS_prctl, 1, 9, 0, 0);
    struct channel *c = channel_of(0);
    c->argument[0] = (u64)agent_landing;
    c->argument[1] = __errno_location ? (u64)__errno_location() : 0;
    serve_subject(REQUEST_STARTED);
}

__attribute__((section(".init_array"), used)) static void (*const begin)(void) = agent_begin;
