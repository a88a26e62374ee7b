/* What runs print: a function that prints what it does not print otherwise tells of trouble. Part of worker.h. */

/* What a program prints becomes a small file that does not grow: what is written beyond is lost. */
enum { MESSAGE_ROOM = 4096 };
static u8 message[MESSAGE_ROOM];

static void collect_messages(void)
{
    enum { ALLOW_SEALING = 2, ADD_SEALS = 1033, SEAL_GROW = 4 };
    long file = call(SYS_memfd_create, "messages", ALLOW_SEALING, 0, 0);
    if (file < 0)
        return;
    if (call(SYS_ftruncate, file, MESSAGE_ROOM, 0, 0) == 0 && call(SYS_fcntl, file, ADD_SEALS, SEAL_GROW, 0) == 0) {
        call(SYS_dup2, file, 1, 0, 0);
        call(SYS_dup2, file, 2, 0, 0);
    }
    if (file > 2)
        call(SYS_close, file, 0, 0, 0);
}

/* Run-times that keep messages in buffers. */
static struct { void (*write_out)(u64); u64 argument; int locks, usable; } streams[8];
static u32 stream_count;
static int interrupted; /* a run was stopped, perhaps while it held a lock of its run-time */

static void add_stream(const struct channel *c)
{
    if (stream_count == sizeof streams / sizeof *streams)
        return;
    streams[stream_count].write_out = (void (*)(u64))c->argument[0];
    streams[stream_count].argument = c->argument[1];
    streams[stream_count].locks = c->argument[2] != 0;
    stream_count++;
}

static void write_out_streams(void)
{
    for (u32 i = 0; i < stream_count; i++)
        if (streams[i].usable && !(interrupted && streams[i].locks))
            streams[i].write_out(streams[i].argument);
}

/* Writes out what the program itself has printed before the call. Another thread, or a statement that calls the
 * function between two things that it prints, may hold a lock: such a stream is not looked at. */
static void drain_streams(void)
{
    struct { i64 again[2], first[2]; } soon = { { 0, 0 }, { 0, 50000 } }, never = { { 0, 0 }, { 0, 0 } };
    for (u32 i = 0; i < stream_count; i++) {
        memcpy(&working_state, &entry_state, sizeof working_state);
        u64 stack = ((entry_state.general[4] - 4096) & ~63ul) - 8;
        *(u64 *)stack = (u64)agent_landing;
        working_state.general[4] = stack;
        working_state.general[7] = streams[i].argument;
        working_state.rip = (u64)streams[i].write_out;
        call(SYS_setitimer, 0, &soon, 0, 0);
        streams[i].usable = run_from(&working_state) == STOP_RETURNED;
        call(SYS_setitimer, 0, &never, 0, 0);
    }
    call(SYS_lseek, 2, 0, 0, 0);
}

static u64 mix(u64 hash, u8 byte)
{
    return (hash ^ byte) * 0x100000001b3ul;
}

/* The letters of a line, as a hash: what numbers are made of is left out. */
static u64 hash_line(const u8 *line, u64 length)
{
    u64 hash = 0xcbf29ce484222325ul;
    int after_digit = 0;
    for (u64 i = 0; i < length; i++) {
        u8 byte = line[i], letter = byte | 0x20;
        int digit = byte >= '0' && byte <= '9';
        int exponent = after_digit && (letter == 'e' || letter == 'd');
        if (!digit && !exponent && letter >= 'a' && letter <= 'z')
            hash = mix(hash, byte);
        after_digit = digit || (after_digit && byte == '.');
    }
    return hash;
}

/* What was printed since the last time, as a hash; 0 if nothing was. A line that repeats the one before it with other
 * numbers is left out: an iteration prints as many as it takes. */
static u64 was_told(void)
{
    write_out_streams();
    long length = call(SYS_lseek, 2, 0, 1, 0);
    if (length <= 0)
        return 0;
    call(SYS_lseek, 2, 0, 0, 0);
    if (length > MESSAGE_ROOM)
        length = MESSAGE_ROOM;
    length = call(SYS_pread, 2, message, length, 0);
    u64 hash = 1, before = 0;
    for (long at = 0; at < length;) {
        long end = at;
        while (end < length && message[end] != '\n')
            end++;
        u64 line = hash_line(message + at, end - at);
        if (line != before)
            for (int k = 0; k < 64; k += 8)
                hash = mix(hash, line >> k);
        before = line;
        at = end + 1;
    }
    return hash | 1;
}
