/* The worker: runs the function again and again from the moment of the call, each time with other
 * inputs or with another result of one of its instructions. Part of agent.c. */

#define MOST_REGIONS 256
static struct preparation preparation;
static struct region regions[MOST_REGIONS];
static u8 *saved, *middle_saved; /* the regions at entry, and in the middle of a walk */
static struct output *outputs;
static u8 *outputs_before;       /* their values at entry */
static u64 scratch_left;
static u8 *scratch_next;

static int classifying, asking; /* asking: the host, in the middle of a run */

static void *take(u64 bytes)
{
    bytes = (bytes + 63) & ~63ul;
    if (bytes > scratch_left) {
        u64 fresh = bytes > (1ul << 20) ? bytes : 1ul << 20;
        long at = call6(SYS_mmap, 0, fresh, 3, 0x22, -1, 0);
        if (at < 0)
            leave(98);
        scratch_next = (u8 *)at;
        scratch_left = fresh;
    }
    u8 *taken = scratch_next;
    scratch_next += bytes;
    scratch_left -= bytes;
    return taken;
}

static void reach_block(struct context *c);
static void after_jump(struct context *c);

static void handle_in_run(int signal, struct context *c)
{
    if (signal == SIGVTALRM) {
        if (++ticks >= tick_limit && !asking)
            stop(c, STOP_TIME);
        return;
    }
    if (signal == SIGALRM) {
        stop(c, STOP_TIME);
        return;
    }
    if (signal == SIGTRAP && c->trapno == 1) {
        if (classifying)
            after_jump(c);
        else
            stop(c, STOP_STEP);
        return;
    }
    if (signal == SIGTRAP) {
        c->rip -= 1;
        if (classifying) {
            reach_block(c);
            return;
        }
        stop_breakpoint = c->rip;
        stop(c, STOP_BREAKPOINT);
        return;
    }
    stop_signal = signal;
    stop(c, STOP_SIGNAL);
}

static u32 run_from(struct state *s)
{
    ticks = 0;
    running = 1;
    u32 reason = agent_run(s);
    running = 0;
    return reason;
}

/* Makes code writable; 0 if that is not allowed. The last pages are remembered. */
static int unlock(u64 address)
{
    static u64 open[64];
    u64 page = address & ~4095ul, *known = &open[(page >> 12) & 63];
    if (*known == page)
        return 1;
    if (call(SYS_mprotect, page, 4096, 7, 0) < 0)
        return 0;
    *known = page;
    return 1;
}

/* Runs one instruction that goes on or to `target` (0: it does not go there), from the registers `s`.
 * A breakpoint where it goes is five times as quick as the processor's single step. */
static u32 run_one(struct state *s, u64 on, u64 target)
{
    u64 at[2] = { on, target };
    u8 original[2];
    int set[2] = { 0, 0 };
    for (int k = 0; k < 2; k++) {
        if (!at[k] || at[k] == (u64)agent_landing || at[k] == s->rip)
            continue;
        if (!unlock(at[k])) {
            on = target = 0;
            break;
        }
        original[k] = *(u8 *)at[k];
        set[k] = original[k] != 0xcc;
        if (set[k])
            put(at[k], 0xcc);
    }
    u32 reason;
    if (on | target && on != s->rip && target != s->rip) {
        reason = run_from(s);
    } else {
        s->rflags |= TRAP_FLAG;
        reason = run_from(s);
    }
    for (int k = 0; k < 2; k++)
        if (set[k])
            put(at[k], original[k]);
    if (reason == STOP_BREAKPOINT && stop_breakpoint && (stop_breakpoint == at[0] || stop_breakpoint == at[1]))
        reason = STOP_STEP;
    return reason;
}

#include "messages.h"

static void copy_regions(u8 *copy, int back)
{
    for (u64 i = 0; i < preparation.regions; i++) {
        if (back)
            memcpy((void *)regions[i].address, copy, regions[i].length);
        else
            memcpy(copy, (void *)regions[i].address, regions[i].length);
        copy += regions[i].length;
    }
}

static void read_output(u8 *to, const struct output *o, const struct state *exit)
{
    const u8 *from = o->address < STATE_OFFSETS ? (const u8 *)exit + o->address : (const u8 *)o->address;
    memset(to, 0, DUMP_BYTES);
    for (u32 k = 0; k < o->bytes; k++)
        to[k] = from[k];
}

static int is_exceptional(const u8 *v, u32 bytes)
{
    switch (bytes) {
    case 2: return (v[1] & 0x7c) == 0x7c;
    case 4: return (v[3] & 0x7f) == 0x7f && (v[2] & 0x80);
    case 8: return (v[7] & 0x7f) == 0x7f && (v[6] & 0xf0) == 0xf0;
    case 10: return (v[9] & 0x7f) == 0x7f && v[8] == 0xff;
    default: return 0;
    }
}

static void prepare(struct channel *c)
{
    install(SIGTRAP, handle);
    install(SIGVTALRM, handle);
    install(SIGSEGV, handle);
    install(SIGBUS, handle);
    install(SIGFPE, handle);
    install(SIGILL, handle);
    install(SIGABRT, handle);
    install(SIGALRM, handle);
    drain_streams();
    u8 *at = c->data;
    memcpy(&preparation, at, sizeof preparation);
    at += sizeof preparation;
    if (preparation.regions >= MOST_REGIONS)
        leave(97);
    memcpy(regions, at, preparation.regions * sizeof *regions);
    at += preparation.regions * sizeof *regions;
    /* The arguments on the stack, and the return address. */
    u64 slot = entry_state.general[4];
    *(u64 *)slot = (u64)agent_landing;
    regions[preparation.regions].address = slot;
    regions[preparation.regions].length = preparation.stack_bytes;
    preparation.regions++;
    u64 bytes = 0;
    for (u64 i = 0; i < preparation.regions; i++) {
        bytes += regions[i].length;
        /* Constants may be arguments: they are changed too. */
        u64 first = regions[i].address & ~4095ul;
        u64 last = regions[i].address + regions[i].length;
        for (u64 page = first; page < last; page += 4096)
            call(SYS_mprotect, page, 4096, 7, 0);
    }
    saved = take(bytes);
    middle_saved = take(bytes);
    copy_regions(saved, 0);
    outputs = take(preparation.outputs * sizeof *outputs);
    memcpy(outputs, at, preparation.outputs * sizeof *outputs);
    outputs_before = take(preparation.outputs * DUMP_BYTES);
    memset(outputs_before, 0, preparation.outputs * DUMP_BYTES);
    for (u64 i = 0; i < preparation.outputs; i++)
        if (outputs[i].address >= STATE_OFFSETS)
            read_output(outputs_before + i * DUMP_BYTES, &outputs[i], 0);
    tick_limit = preparation.tick_limit;
    /* Sticky exceptions of the run alone. */
    u32 control;
    memcpy(&control, entry_state.extended + 24, 4);
    control &= ~0x3fu;
    memcpy(entry_state.extended + 24, &control, 4);
    entry_state.extended[2] = 0; /* x87 status, low byte */
    u64 present;
    memcpy(&present, entry_state.extended + 512, 8);
    present |= agent_components & 7;
    memcpy(entry_state.extended + 512, &present, 8);
    struct { i64 again[2], first[2]; } timer = { { 0, 10000 }, { 0, 10000 } };
    call(SYS_setitimer, 1, &timer, 0, 0); /* of the processor time that the worker uses */
    set_all(1 << BREAK_ERROR | 1 << BREAK_EXIT);
}

/* Whether `abort` was called by its own library. */
static int aborts_itself(u64 at, u32 pages)
{
    u64 caller = *(u64 *)stopped_state.general[4], page = at >> 12;
    return pages && (caller >> 12) >= page - (pages >> 16) && (caller >> 12) <= page + (pages & 0xffff);
}

/* What the run that ended in stopped_state came to. */
static void judge(struct result *result, u32 reason)
{
    u32 control;
    memcpy(&control, stopped_state.extended + 24, 4);
    result->flags = (control | stopped_state.extended[2]) & 0x3d;
    result->where = stopped_state.rip;
    result->dumped = 0;
    result->signal = 0;
    result->breakpoint = 0;
    interrupted |= reason != STOP_RETURNED;
    result->told = was_told();
    switch (reason) {
    case STOP_RETURNED:
        result->ended = ENDED_CLEAN;
        for (u64 i = 0; i < preparation.outputs; i++) {
            u8 now[DUMP_BYTES], *before = outputs_before + i * DUMP_BYTES;
            if (!outputs[i].floating)
                continue;
            read_output(now, &outputs[i], &stopped_state);
            /* One that was there before the spoof, untouched, tells nobody anything. */
            if (is_exceptional(now, outputs[i].bytes) && !same(now, before, outputs[i].bytes)) {
                result->ended = ENDED_EXCEPTIONAL;
                return;
            }
        }
        return;
    case STOP_BREAKPOINT: {
        int at = find_breakpoint(stop_breakpoint);
        result->ended = ENDED_SIGNAL;
        result->signal = SIGTRAP;
        if (at >= 0) {
            result->breakpoint = breakpoints[at].id;
            if (breakpoints[at].kind == BREAK_ERROR)
                result->ended = ENDED_REPORTED;
            else if (aborts_itself(stop_breakpoint, breakpoints[at].id))
                result->signal = SIGABRT;
            else
                result->ended = ENDED_EXIT;
        }
        return;
    }
    case STOP_SIGNAL:
        result->ended = ENDED_SIGNAL;
        result->signal = stop_signal;
        return;
    default:
        result->ended = ENDED_TIME;
    }
}

/* Results grow from `start`, dumps downwards from the end of `data`. */
static struct result *results;
static u64 result_count, dump_top;

static int room_for_result(struct channel *c)
{
    u64 end = (u64)(results + result_count + 1) - (u64)c->data;
    return end + preparation.outputs * DUMP_BYTES + 64 < dump_top;
}

static void keep_result(struct channel *c, struct result *result)
{
    if (result->ended == ENDED_EXCEPTIONAL)
        return;
    if (result->ended == ENDED_CLEAN) {
        dump_top -= preparation.outputs * DUMP_BYTES;
        for (u64 i = 0; i < preparation.outputs; i++)
            read_output(c->data + dump_top + i * DUMP_BYTES, &outputs[i], &stopped_state);
        result->dumped = dump_top;
    }
    results[result_count++] = *result;
}

static void apply(struct state *s, const struct patch *p)
{
    u8 *to = p->address < STATE_OFFSETS ? (u8 *)s + p->address : (u8 *)p->address;
    for (u32 k = 0; k < p->length; k++)
        to[k] = p->bytes[k];
}

/* Microseconds of processor time that this process has used. */
static u64 used_time(void)
{
    u64 time[2] = { 0, 0 };
    call(SYS_clock_gettime, 2, time, 0, 0);
    return time[0] * 1000000 + time[1] / 1000;
}

static void do_runs(struct channel *c)
{
    u64 count = c->argument[0], next = c->argument[3], begin = used_time();
    struct run *runs = (struct run *)c->data;
    struct patch *patches = (struct patch *)(runs + count);
    results = (struct result *)(c->data + c->argument[2]);
    result_count = 0;
    dump_top = shared->data_bytes;
    for (; next < count && room_for_result(c); next++) {
        copy_regions(saved, 1);
        memcpy(&working_state, &entry_state, sizeof working_state);
        for (u32 k = 0; k < runs[next].count; k++)
            apply(&working_state, &patches[runs[next].first + k]);
        struct result result = { .run = next };
        judge(&result, run_from(&working_state));
        keep_result(c, &result);
    }
    copy_regions(saved, 1);
    c->argument[0] = next;
    c->argument[1] = result_count;
    c->argument[2] = used_time() - begin;
}

/* Blocks. A breakpoint at the start of each, gone when it is reached. */

#define BLOCK_TABLE (1u << 16)
static struct { u64 address; u32 kind; u8 original, armed, reached; } *blocks;
static u32 block_count;
static u64 *reached_blocks, reached_count;
static u64 jump_at; /* the block whose first instruction is being stepped */

static u32 find_block(u64 address)
{
    u32 at = (u32)((address * 0x9e3779b97f4a7c15ul) >> 48);
    while (blocks[at].address && blocks[at].address != address)
        at = (at + 1) & (BLOCK_TABLE - 1);
    return at;
}

static void arm(u32 at)
{
    blocks[at].armed = 1; /* first: the timer may come between */
    put(blocks[at].address, 0xcc);
}

static void disarm(u32 at)
{
    if (blocks[at].armed) {
        put(blocks[at].address, blocks[at].original);
        blocks[at].armed = 0;
    }
}

static void add_block(u64 address, u32 kind)
{
    if (block_count >= BLOCK_TABLE / 2)
        return;
    u32 at = find_block(address);
    if (blocks[at].address) {
        blocks[at].kind |= kind & BLOCK_JUMP;
        if (!(kind & BLOCK_NO_START))
            blocks[at].kind &= ~BLOCK_NO_START;
        if (!(kind & BLOCK_CALLEE))
            blocks[at].kind &= ~BLOCK_CALLEE;
        return;
    }
    block_count++;
    blocks[at].address = address;
    blocks[at].kind = kind;
    blocks[at].reached = 0;
    blocks[at].armed = 0;
    if (find_breakpoint(address) >= 0 || !unlock(address))
        return;
    blocks[at].original = *(u8 *)address;
    arm(at);
}

/* What the host knows of the code at an address that was reached. */
static void learn_blocks(u64 address)
{
    struct channel *c = channel_of(role);
    c->argument[0] = address;
    asking = 1;
    ask(REQUEST_BLOCKS);
    asking = 0;
    u64 count = c->argument[0];
    struct block *told = (struct block *)c->data;
    for (u64 i = 0; i < count; i++)
        add_block(told[i].address, told[i].kind);
    u32 at = find_block(address);
    if (!blocks[at].address && block_count < BLOCK_TABLE / 2) { /* nothing: not to be asked again */
        blocks[at].address = address;
        blocks[at].kind = BLOCK_NO_START;
        blocks[at].reached = 1;
        block_count++;
    }
}

static void reach_block(struct context *c)
{
    u32 at = find_block(c->rip);
    if (!blocks[at].address || !blocks[at].armed) {
        stop_breakpoint = c->rip; /* an error routine, an exit */
        stop(c, STOP_BREAKPOINT);
        return;
    }
    if (!blocks[at].reached && !(blocks[at].kind & BLOCK_NO_START) && reached_count < BLOCK_TABLE / 2)
        reached_blocks[reached_count++] = c->rip;
    blocks[at].reached = 1;
    disarm(at);
    if (blocks[at].kind & BLOCK_CALLEE) {
        blocks[at].kind &= ~BLOCK_CALLEE;
        learn_blocks(c->rip);
        at = find_block(c->rip);
        disarm(at);
    }
    if (blocks[at].kind & BLOCK_JUMP) {
        jump_at = c->rip;
        c->rflags |= TRAP_FLAG;
    }
}

static void after_jump(struct context *c)
{
    c->rflags &= ~TRAP_FLAG;
    if (c->rip == jump_at)
        return;
    u32 at = find_block(jump_at);
    if (blocks[at].address)
        arm(at);
    jump_at = 0;
    if (c->rip == (u64)agent_landing)
        return;
    u32 to = find_block(c->rip);
    if (!blocks[to].address)
        learn_blocks(c->rip);
}

static void classify(struct channel *c)
{
    if (!blocks) {
        blocks = take(BLOCK_TABLE * sizeof *blocks);
        reached_blocks = take(BLOCK_TABLE / 2 * 8);
    }
    memset(blocks, 0, BLOCK_TABLE * sizeof *blocks);
    block_count = 0;
    reached_count = 0;
    copy_regions(saved, 1);
    u64 count = c->argument[0];
    struct block *told = (struct block *)c->data;
    for (u64 i = 0; i < count; i++)
        add_block(told[i].address, told[i].kind);
    memcpy(&working_state, &entry_state, sizeof working_state);
    classifying = 1;
    struct result result = { 0 };
    u32 reason = run_from(&working_state);
    classifying = 0;
    for (u32 i = 0; i < BLOCK_TABLE; i++)
        if (blocks[i].address)
            disarm(i);
    judge(&result, reason);
    copy_regions(saved, 1);
    memcpy(c->data, reached_blocks, reached_count * 8);
    c->argument[0] = reached_count;
    c->argument[1] = result.ended;
    c->argument[2] = result.signal;
    c->argument[3] = result.flags;
}

/* Sites. */

static struct site *sites;
static u64 site_count;
static u8 *site_bytes;  /* what the sites' breakpoints hide */
static u32 *site_hits;

static int find_site(u64 address)
{
    u64 low = 0, high = site_count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (sites[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < site_count && sites[low].address == address ? (int)low : -1;
}

static void set_sites(int on)
{
    for (u64 i = 0; i < site_count; i++)
        put(sites[i].address, on ? 0xcc : site_bytes[i]);
}

/* Keeps the moment after a site: what the regions hold, and the stack that the function uses. */
static u8 *middle_stack;
static u64 middle_stack_room, middle_low, middle_high;

static int keep_middle(void)
{
    middle_low = middle_state.general[4] - 128;
    middle_high = entry_state.general[4];
    if (middle_low > middle_high)
        return 0;
    u64 bytes = middle_high - middle_low;
    if (bytes > (8ul << 20))
        return 0;
    if (bytes > middle_stack_room) {
        middle_stack_room = bytes * 2;
        middle_stack = take(middle_stack_room);
    }
    memcpy(middle_stack, (void *)middle_low, bytes);
    copy_regions(middle_saved, 0);
    return 1;
}

static void back_to_middle(void)
{
    memcpy((void *)middle_low, middle_stack, middle_high - middle_low);
    copy_regions(middle_saved, 1);
}

/* While a spoofed run goes on from the middle, nothing is freed: the next one needs what was allocated before it, and
 * the heap is not among what is put back. */
static void keep_allocations(int on)
{
    for (u32 i = 0; i < breakpoint_count; i++)
        if (breakpoints[i].kind == BREAK_FREE)
            put(breakpoints[i].address, on ? 0xc3 : breakpoints[i].original);
}

/* Kilobytes of memory that this process has had at most. */
static u64 most_memory(void)
{
    u64 usage[18] = { 0 };
    call(SYS_getrusage, 0, usage, 0, 0);
    return usage[4];
}

static void walk(struct channel *c)
{
    enum { MOST_KEPT = 1 << 19, LOOK = 16 };
    static u64 memory_before;
    if (!memory_before)
        memory_before = most_memory();
    site_count = c->argument[0];
    u64 spoof_count = c->argument[1], first_hit = c->argument[3], most_hits = c->argument[4];
    u64 most_spoofs = c->argument[5];
    sites = take(site_count * sizeof *sites);
    memcpy(sites, c->data, site_count * sizeof *sites);
    struct spoof *spoofs = take(spoof_count * sizeof *spoofs);
    memcpy(spoofs, c->data + site_count * sizeof *sites, spoof_count * sizeof *spoofs);
    results = (struct result *)(c->data + c->argument[2]);
    result_count = 0;
    dump_top = shared->data_bytes;
    site_bytes = take(site_count);
    site_hits = take(site_count * 4);
    for (u64 i = 0; i < site_count; i++) {
        unlock(sites[i].address);
        site_bytes[i] = *(u8 *)sites[i].address;
        site_hits[i] = 0;
    }
    u64 hit = 0, done = 0, full = 0;
    copy_regions(saved, 1);
    memcpy(&working_state, &entry_state, sizeof working_state);
    set_sites(1);
    while (!full) {
        u32 reason = run_from(&working_state);
        if (reason != STOP_BREAKPOINT)
            break;
        int at = find_site(stop_breakpoint);
        if (at < 0)
            break;
        /* Execute the instruction itself. */
        put(sites[at].address, site_bytes[at]);
        memcpy(&working_state, &stopped_state, sizeof working_state);
        reason = run_one(&working_state, sites[at].next, 0);
        put(sites[at].address, 0xcc);
        if (reason != STOP_STEP)
            break;
        memcpy(&working_state, &stopped_state, sizeof working_state);
        int many = site_hits[at]++ >= most_hits;
        if (hit++ < first_hit || many)
            continue;
        int spent = hit % LOOK == 0 && most_memory() > memory_before + MOST_KEPT;
        if (done >= most_spoofs || spent) {
            full = 1;
            hit--;
            break;
        }
        memcpy(&middle_state, &stopped_state, sizeof middle_state);
        if (!keep_middle())
            continue;
        set_sites(0);
        keep_allocations(1);
        for (u32 k = 0; k < sites[at].count; k++) {
            if (!room_for_result(c)) {
                full = 1;
                hit--;
                break;
            }
            struct spoof *spoof = &spoofs[sites[at].first + k];
            memcpy(&working_state, &middle_state, sizeof working_state);
            u64 present;
            memcpy(&present, working_state.extended + 512, 8);
            present |= agent_components & 7;
            memcpy(working_state.extended + 512, &present, 8);
            for (u32 b = 0; b < spoof->length; b++)
                ((u8 *)&working_state)[spoof->offset + b] = spoof->bytes[b];
            struct result result = { .run = hit - 1, .spoof = sites[at].first + k };
            judge(&result, run_from(&working_state));
            /* The C library finds its heap changed: that says nothing of the function. */
            if (result.ended == ENDED_SIGNAL && result.signal == SIGABRT)
                result.ended = ENDED_EXIT;
            keep_result(c, &result);
            done++;
            back_to_middle();
        }
        keep_allocations(0);
        set_sites(1);
        memcpy(&working_state, &middle_state, sizeof working_state);
    }
    set_sites(0);
    copy_regions(saved, 1);
    c->argument[0] = hit;
    c->argument[1] = result_count;
    c->argument[2] = done;
    c->argument[3] = full;
}

/* Tracing: every instruction with the registers and memory before it. */

#define DECODED_SIZE (1u << 14)
static struct decoded *decoded;

static struct decoded *decode(u64 address)
{
    u32 at = (u32)((address * 0x9e3779b97f4a7c15ul) >> 50);
    while (decoded[at].address && decoded[at].address != address)
        at = (at + 1) & (DECODED_SIZE - 1);
    if (decoded[at].address)
        return &decoded[at];
    struct channel *c = channel_of(role);
    u64 kept[6];
    memcpy(kept, c->argument, sizeof kept);
    c->argument[0] = address;
    c->argument[1] = read_memory((u8 *)&c->argument[2], address, 16);
    for (u32 i = 0; i < breakpoint_count; i++)
        if (breakpoints[i].set && breakpoints[i].address - address < 16)
            ((u8 *)&c->argument[2])[breakpoints[i].address - address] = breakpoints[i].original;
    ask(REQUEST_DECODE);
    /* The answer is at the very end of `data`. */
    memcpy(&decoded[at], c->data + shared->data_bytes - sizeof *decoded, sizeof *decoded);
    decoded[at].address = address;
    memcpy(c->argument, kept, sizeof kept);
    return &decoded[at];
}

static void trace(struct channel *c)
{
    u64 patch_count = c->argument[0], site = c->argument[1], site_hit = c->argument[2];
    u64 most = c->argument[3], done = 0, hits = 0, used = 0;
    struct patch *patches = take(patch_count * sizeof *patches + sizeof(struct spoof));
    memcpy(patches, c->data, patch_count * sizeof *patches);
    struct spoof spoof;
    memcpy(&spoof, c->data + patch_count * sizeof *patches, sizeof spoof);
    if (!decoded) {
        decoded = take(DECODED_SIZE * sizeof *decoded);
        memset(decoded, 0, DECODED_SIZE * sizeof *decoded);
    }
    copy_regions(saved, 1);
    memcpy(&working_state, &entry_state, sizeof working_state);
    for (u64 k = 0; k < patch_count; k++)
        apply(&working_state, &patches[k]);
    struct result result = { 0 };
    u32 reason = STOP_TIME;
    u64 room = shared->data_bytes - sizeof *decoded - 64;
    set_all(0);
    while (done < most) {
        struct decoded *d = decode(working_state.rip);
        u64 largest = 16 + 192 + state_bytes;
        for (u32 k = 0; k < d->count; k++)
            largest += 16 + ((d->operand[k].length + 7) & ~7ul);
        if (used + largest > room) {
            c->argument[0] = used;
            ask(REQUEST_FULL);
            used = 0;
        }
        u8 *at = c->data + used;
        struct record *record = (struct record *)at;
        record->bytes = largest;
        record->operands = d->count;
        at += 16;
        memcpy(at, &working_state, 192);
        at += 192;
        memcpy(at, working_state.extended, state_bytes);
        at += state_bytes;
        for (u32 k = 0; k < d->count; k++) {
            struct operand *o = &d->operand[k];
            u64 address = o->displacement;
            if (o->base < 16)
                address += working_state.general[o->base];
            if (o->index < 16)
                address += working_state.general[o->index] * o->scale;
            if (o->segment)
                address += entry_state.fs_base;
            ((u64 *)at)[0] = address;
            ((u64 *)at)[1] = o->length;
            memset(at + 16, 0, (o->length + 7) & ~7ul);
            read_memory(at + 16, address, o->length);
            at += 16 + ((o->length + 7) & ~7ul);
        }
        used += largest;
        done++;
        int here = site && working_state.rip == site && hits++ == site_hit;
        int error = -1;
        for (u32 i = 0; i < breakpoint_count; i++)
            if (breakpoints[i].address == working_state.rip &&
                (breakpoints[i].kind == BREAK_ERROR || breakpoints[i].kind == BREAK_EXIT))
                error = i;
        if (error >= 0) {
            breakpoints[error].set = 1; /* judged as if it were hit */
            stop_breakpoint = working_state.rip;
            memcpy(&stopped_state, &working_state, sizeof stopped_state);
            reason = STOP_BREAKPOINT;
            break;
        }
        u64 on = working_state.rip + d->length;
        switch (d->goes) {
        case GOES_ON:
            reason = run_one(&working_state, on, 0);
            break;
        case GOES_EITHER:
            reason = run_one(&working_state, on, d->target);
            break;
        case GOES_TO_TARGET:
            reason = run_one(&working_state, 0, d->target);
            break;
        case GOES_BACK:
            reason = run_one(&working_state, 0, *(u64 *)working_state.general[4]);
            break;
        default:
            reason = run_one(&working_state, 0, 0);
        }
        if (reason != STOP_STEP)
            break;
        memcpy(&working_state, &stopped_state, sizeof working_state);
        if (here)
            for (u32 b = 0; b < spoof.length; b++)
                ((u8 *)&working_state)[spoof.offset + b] = spoof.bytes[b];
        if (working_state.rip == (u64)agent_landing) {
            reason = STOP_RETURNED;
            break;
        }
        reason = STOP_TIME;
    }
    judge(&result, reason);
    if (result.ended == ENDED_REPORTED || result.ended == ENDED_EXIT)
        for (u32 i = 0; i < breakpoint_count; i++)
            if (breakpoints[i].address == stop_breakpoint)
                breakpoints[i].set = 0;
    c->argument[0] = used;
    ask(REQUEST_FULL);
    /* The registers at the end. */
    memcpy(c->data, &stopped_state, sizeof stopped_state);
    c->argument[0] = done;
    c->argument[1] = result.ended;
    c->argument[2] = result.signal;
    c->argument[3] = result.flags;
    c->argument[4] = result.breakpoint;
    set_all(1 << BREAK_ERROR | 1 << BREAK_EXIT);
}

static void work(void)
{
    for (;;) {
        struct channel *c = ask(REQUEST_READY);
        switch (c->command) {
        case COMMAND_READ:
            serve_read(c);
            break;
        case COMMAND_BREAK:
            c->argument[0] = add_breakpoint(c->argument[0], c->argument[1], c->argument[2], c->argument[3]);
            break;
        case COMMAND_FORK: {
            long child = split(c->argument[0]);
            if (child != 0)
                c->argument[0] = child;
            break;
        }
        case COMMAND_PREPARE:
            prepare(c);
            break;
        case COMMAND_WRITE:
            memcpy((void *)c->argument[0], c->data, c->argument[1]);
            break;
        case COMMAND_TICKS:
            tick_limit = c->argument[0];
            break;
        case COMMAND_RUNS:
            do_runs(c);
            break;
        case COMMAND_CLASSIFY:
            classify(c);
            break;
        case COMMAND_WALK:
            walk(c);
            break;
        case COMMAND_TRACE:
            trace(c);
            break;
        default:
            leave(0);
        }
    }
}
