/* What host and agent agree on; `spoof/src/run/protocol.rs` says the same in Rust. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

#define MAGIC 0x6e616e6f
#define SHARED_DESCRIPTOR 963
#define SHARED_BYTES (1ul << 28)
#define ACTION_ADDRESS 0x6e6100000000l

/* The registers. Offsets below 8192 in the place of an address mean bytes of this. */
struct state {
    u64 general[16];
    u64 rip, rflags, fs_base, unused[5];
    u8 extended[4096]; /* as XSAVE writes it, standard format */
};
#define STATE_OFFSETS 8192

struct header {
    u32 magic, owner;
    u64 channels_at, channel_bytes, data_bytes;
    u64 components; /* of the extended state */
    u64 state_bytes;
};

enum { TURN_AGENT = 1, TURN_HOST = 2 };
enum {
    REQUEST_READY, REQUEST_STARTED, REQUEST_LOADED, REQUEST_ENTERED, REQUEST_DECODE, REQUEST_FULL,
    REQUEST_BLOCKS,
};
enum {
    COMMAND_END, COMMAND_GO, COMMAND_READ, COMMAND_BREAK, COMMAND_FORK, COMMAND_PREPARE, COMMAND_RUNS,
    COMMAND_CLASSIFY, COMMAND_WALK, COMMAND_TRACE, COMMAND_TICKS, COMMAND_WRITE,
    COMMAND_RESOLVE, COMMAND_STREAM,
};
/* The id of a BREAK_EXIT at `abort` says how many pages its library has before and after it (16 bits each): what
 * the C library itself ends, as free() does if the heap is corrupt, is a crash. */
enum { BREAK_ENTRY, BREAK_LOADER, BREAK_ERROR, BREAK_EXIT, BREAK_FREE };

struct channel {
    u32 turn, request, command, unused;
    u64 argument[6];
    u64 padding;
    u8 data[];
};

/* COMMAND_RESOLVE: calls the resolver of an indirect function (argument[0]), which says where the function is. */

/* COMMAND_STREAM: a run-time keeps messages in buffers, which calling argument[0] with argument[1] writes out.
 * argument[2]: whether it waits for a lock that an interrupted run may hold. */

/* COMMAND_WRITE: what is in `data` goes to the address argument[0], argument[1] bytes of it. */

/* COMMAND_PREPARE: what a run changes and what is looked at afterwards. In `data`: a preparation,
 * then region[regions], then output[outputs]. */
struct preparation { u64 regions, outputs, tick_limit, stack_bytes; };
struct region { u64 address, length; };
struct output { u64 address; u32 bytes, floating; }; /* below STATE_OFFSETS: of the registers at exit */
#define DUMP_BYTES 16 /* of each output */

/* COMMAND_RUNS: runs with patched inputs. Arguments: the number of runs, the number of patches, where
 * the results begin, the first run. In `data`: run[], patch[]. Answers: runs done, results,
 * microseconds of processor time. Only runs that do not end with an exceptional output have a result. */
struct run { u32 first, count; };
struct patch { u64 address; u32 length, unused; u8 bytes[16]; };

enum { STOP_RETURNED, STOP_STEP, STOP_BREAKPOINT, STOP_SIGNAL, STOP_TIME };
enum { ENDED_EXCEPTIONAL, ENDED_CLEAN, ENDED_REPORTED, ENDED_EXIT, ENDED_SIGNAL, ENDED_TIME };

struct result {
    u32 run;    /* which run; in a walk, the number of the hit */
    u32 spoof;  /* in a walk, which spoof */
    u8 ended;
    u8 flags;   /* sticky exceptions: invalid 1, divide-by-zero 4, overflow 8 */
    u8 signal;
    u8 unused;
    u32 breakpoint; /* the id of the one that ended the run */
    u64 where;  /* the address of a crash */
    u64 dumped; /* where in `data` the outputs are, or 0 */
    u64 told;   /* what it printed, as a hash of the text without its numbers; 0: nothing */
};

/* COMMAND_CLASSIFY: which basic blocks a run executes. Argument: the number of block[] in `data`.
 * Where the run comes to code that the host has not told of, it asks (REQUEST_BLOCKS: argument[0] is
 * the address; the answer is a number of block[] in `data`). Answers: how many addresses of blocks that
 * were reached are in `data`, how it ended, the signal, the flags. */
struct block { u64 address, kind; };
enum {
    BLOCK_PLAIN,
    BLOCK_CALLEE = 1, /* the first of a function that is not decoded yet */
    BLOCK_JUMP = 2,   /* an instruction that goes where only its execution tells */
    BLOCK_NO_START = 4, /* and that no block begins with */
};

/* COMMAND_WALK: spoofs results. Arguments: sites, spoofs, where the results begin, the first hit, the
 * most hits of one site, and after how many spoofs to answer. In `data`: site[] by address, spoof[]; the bytes are of the state after the
 * instruction. Answers: hits passed, results, spoofs done. */
struct site { u64 address; u32 first, count; u64 next; }; /* next: the following instruction */
struct spoof { u32 offset, length; u8 bytes[16]; };

/* COMMAND_TRACE: arguments: patches, the address of a site or 0, its hit, the most steps. In `data`:
 * patch[], spoof. Answers: steps, how it ended, the signal. Records follow, a flush at a time
 * (REQUEST_FULL: argument[0] bytes). */
struct operand { u8 base, index, scale, segment; u32 length; i64 displacement; };
struct decoded {
    u64 address;
    u32 count, length;
    u64 target; /* of a direct branch */
    u64 goes;
    struct operand operand[6];
};
/* Where an instruction goes next: on; on or to the target; to the target; to what is on top of the stack;
 * who knows. */
enum { GOES_ON, GOES_EITHER, GOES_TO_TARGET, GOES_BACK, GOES_ANYWHERE };
struct record { u64 bytes, operands; }; /* then state up to extended, extended[state_bytes], memory */
