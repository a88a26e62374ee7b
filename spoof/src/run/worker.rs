//! A call of a function, kept at its first instruction, and the runs that start there.

use super::registers::{Layout, STATE_BYTES, state_from};
use super::shared::{Channel, DATA_BYTES, Gone, Shared};
use super::subject::{END, READ};
use crate::prototype::Reader;
use crate::trace::{Memory, State, Step};
use std::collections::HashMap;
use std::time::Instant;

const PREPARE: u32 = 5;
const RUNS: u32 = 6;
const CLASSIFY: u32 = 7;
const WALK: u32 = 8;
const TRACE: u32 = 9;
const TICKS: u32 = 10;
const WRITE: u32 = 11;

const REQUEST_DECODE: u32 = 4;
const REQUEST_FULL: u32 = 5;
const REQUEST_BLOCKS: u32 = 6;

const RESULT_BYTES: usize = 40;
const PATCH_BYTES: usize = 32;
const DECODED_BYTES: usize = 128;
const BLOCK_BYTES: usize = 16;

/// How many results are spoofed between two looks at the clock.
const WALK_BATCH: u64 = 4000;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// It returned, and an output is exceptional.
    Exceptional,
    /// It returned, and no output is exceptional.
    Clean,
    /// It called an error routine.
    Reported,
    /// It ended the process.
    Exit,
    /// A signal stopped it.
    Crashed,
    /// It did not return in time.
    TimedOut,
}

impl Ended {
    fn from(code: u8) -> Ended {
        match code {
            0 => Ended::Exceptional,
            1 => Ended::Clean,
            2 => Ended::Reported,
            3 => Ended::Exit,
            4 => Ended::Crashed,
            _ => Ended::TimedOut,
        }
    }
}

/// How a run ended, and what it left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How.
    pub ended: Ended,
    /// Sticky exceptions: invalid 1, divide-by-zero 4, overflow 8.
    pub flags: u8,
    /// The signal of a crash.
    pub signal: u8,
    /// What it printed, as a hash of the text without its numbers; 0 if nothing.
    pub told: u64,
    /// The error routine's number.
    pub breakpoint: u32,
    /// Where it stopped.
    pub address: u64,
    /// The outputs, 16 bytes each, if it ended clean.
    pub outputs: Vec<u8>,
}

/// A piece of memory that runs may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Region {
    /// Where it begins.
    pub address: u64,
    /// How long it is.
    pub length: u64,
}

/// An output that is looked at after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// An address, or an offset in the registers.
    pub place: u64,
    /// 2, 4, 8 or 10 for floats; up to 8 for integers.
    pub bytes: u32,
    /// Whether it is a float.
    pub floating: bool,
}

/// An input that a run changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// An address, or an offset in the registers.
    pub place: u64,
    /// How many of `bytes` count.
    pub length: u32,
    /// The new value.
    pub bytes: [u8; 16],
}

/// An instruction whose results are spoofed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where it is.
    pub address: u64,
    /// The instruction after it.
    pub next: u64,
    /// What is put into the registers after it, one at a time: an offset in the registers, and
    /// bytes.
    pub spoofs: Vec<(u32, Vec<u8>)>,
}

/// A spoofed result that did not reach an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpoofedResult {
    /// Which execution of any site, from 0.
    pub hit: u64,
    /// Which site.
    pub site: usize,
    /// Which of its spoofs.
    pub spoof: usize,
    /// How the run ended.
    pub ending: Ending,
}

/// What came of a walk.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The spoofs that did not reach an output.
    pub results: Vec<SpoofedResult>,
    /// How many spoofs there were.
    pub count: u64,
    /// Whether time sufficed for all.
    pub whole: bool,
}

/// The start of a basic block, or a jump whose target only its execution tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it is.
    pub address: u64,
    /// What it is.
    pub kind: BlockKind,
}

/// What is at an address where classifying stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// The start of a block.
    Plain,
    /// The start of a function that is decoded when it is reached.
    Callee,
    /// An indirect jump or call inside a block.
    Jump,
    /// One that a block begins with.
    StartJump,
}

impl BlockKind {
    fn code(self) -> u64 {
        match self {
            BlockKind::Plain => 0,
            BlockKind::Callee => 1,
            BlockKind::Jump => 2 | 4,
            BlockKind::StartJump => 2,
        }
    }
}

/// Where an instruction goes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goes {
    /// To the instruction after it.
    On = 0,
    /// There or to its target.
    Either = 1,
    /// To its target.
    ToTarget = 2,
    /// To the address on top of the stack.
    Back = 3,
    /// Only its execution tells.
    #[default]
    Anywhere = 4,
}

/// The memory operands of an instruction: `base + index * scale + displacement`; a register
/// number of 16 or more is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    /// base, index, scale, segment (1: fs), length, displacement.
    pub operands: Vec<(u8, u8, u8, u8, u32, i64)>,
    /// How long the instruction is.
    pub length: usize,
    /// Where it goes.
    pub goes: Goes,
    /// The target of a direct branch.
    pub target: u64,
}

/// A run, instruction by instruction.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The instructions.
    pub steps: Vec<Step>,
    /// The registers at the end.
    pub exit: State,
    /// How it ended. The outputs are not kept.
    pub ending: Ending,
}

/// The channel of a slot's worker.
pub fn channel_of(slot: usize) -> usize {
    1 + slot
}

fn read_through(
    channel: &Channel<'_>,
    process: i32,
    address: u64,
    length: usize,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    channel.wait(|| ended(process)).ok()?;
    while bytes.len() < length {
        let part = (length - bytes.len()).min(DATA_BYTES);
        channel.command(READ, &[address + bytes.len() as u64, part as u64]);
        channel.wait(|| ended(process)).ok()?;
        if channel.argument(0) != part as u64 {
            return None;
        }
        bytes.extend(channel.read(0, part));
    }
    Some(bytes)
}

/// Whether a child has ended, and how. Leaves it to be reaped.
fn ended(process: i32) -> Option<i32> {
    // SAFETY: `information` is written by the call and read only if it says so.
    unsafe {
        let mut information: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        let answer = libc::waitid(libc::P_PID, process as u32, &mut information, options);
        if answer != 0 {
            return Some(0); // not our child any more
        }
        (information.si_pid() == process).then(|| information.si_status())
    }
}

fn kill_and_reap(process: i32) {
    // SAFETY: our own child, which nobody has reaped: its number is still its own.
    unsafe {
        libc::kill(process, libc::SIGKILL);
        libc::waitpid(process, std::ptr::null_mut(), 0);
    }
}

/// A process that keeps the moment of a call and repeats it.
pub struct Worker<'a> {
    channel: Channel<'a>,
    process: i32,
    layout: Layout,
    alive: bool,
    /// Microseconds of processor time that the last runs took.
    took: u64,
    /// The instructions that traces came by: the agent asks for each once.
    codes: HashMap<u64, Vec<u8>>,
}

impl<'a> Worker<'a> {
    /// Makes the channel of a slot ready for a worker.
    pub fn vacate(shared: &Shared, slot: usize) {
        shared.channel(channel_of(slot)).reset();
    }

    /// The worker that the subject forked for a slot.
    pub fn new(shared: &'a Shared, slot: usize, process: i32, layout: Layout) -> Worker<'a> {
        let channel = shared.channel(channel_of(slot));
        Worker { channel, process, layout, alive: true, took: 0, codes: HashMap::new() }
    }

    /// Waits until it is our turn, so that the data can be written.
    fn ready(&self) -> Result<(), Gone> {
        let process = self.process;
        self.channel.wait(|| ended(process)).map(|_| ())
    }

    fn ask(&mut self, command: u32, arguments: &[u64]) -> Result<u32, Gone> {
        let process = self.process;
        let answer = self.channel.wait(|| ended(process)).and_then(|_| {
            self.channel.command(command, arguments);
            self.channel.wait(|| ended(process))
        });
        self.alive &= answer.is_ok();
        answer
    }

    /// Says what runs may change and what is looked at afterwards; `ticks` is how many hundredths
    /// of a second of processor time a run may take.
    pub fn prepare(
        &mut self,
        regions: &[Region],
        outputs: &[Output],
        ticks: u64,
        stack_bytes: u64,
    ) -> Result<(), Gone> {
        let mut data = Vec::new();
        let head = [regions.len() as u64, outputs.len() as u64, ticks, stack_bytes];
        head.iter().for_each(|word| data.extend(word.to_le_bytes()));
        for region in regions {
            data.extend(region.address.to_le_bytes());
            data.extend(region.length.to_le_bytes());
        }
        for output in outputs {
            data.extend(output.place.to_le_bytes());
            data.extend(output.bytes.to_le_bytes());
            data.extend(u32::from(output.floating).to_le_bytes());
        }
        self.ready()?;
        self.channel.write(0, &data);
        self.ask(PREPARE, &[]).map(|_| ())
    }

    /// Runs the function once for each list of patches. Gives the endings that are not an
    /// exceptional output, with the run's number.
    pub fn runs(
        &mut self,
        runs: &[Vec<Patch>],
        outputs: usize,
    ) -> Result<Vec<(usize, Ending)>, Gone> {
        let mut all = Vec::new();
        self.took = 0;
        // Half of the data for what is asked, half for the answers.
        let most = DATA_BYTES / 2 / (PATCH_BYTES + 8);
        let mut from = 0;
        while from < runs.len() {
            let mut to = from;
            let mut size = 0;
            while to < runs.len() && size + runs[to].len() < most {
                size += runs[to].len() + 1;
                to += 1;
            }
            if to == from {
                return Err(Gone(0)); // a run of more patches than fit
            }
            self.batch(&runs[from..to], outputs, from, &mut all)?;
            from = to;
        }
        Ok(all)
    }

    /// Microseconds of processor time that the last runs took.
    pub fn took(&self) -> u64 {
        self.took
    }

    fn batch(
        &mut self,
        runs: &[Vec<Patch>],
        outputs: usize,
        first: usize,
        all: &mut Vec<(usize, Ending)>,
    ) -> Result<(), Gone> {
        let mut heads = Vec::new();
        let mut patches = Vec::new();
        let mut count = 0u32;
        for run in runs {
            heads.extend(count.to_le_bytes());
            heads.extend((run.len() as u32).to_le_bytes());
            for patch in run {
                push_patch(&mut patches, patch);
            }
            count += run.len() as u32;
        }
        let results_at = (heads.len() + patches.len()).next_multiple_of(64);
        self.ready()?;
        self.channel.write(0, &heads);
        self.channel.write(heads.len(), &patches);
        let mut next = 0u64;
        while next < runs.len() as u64 {
            let arguments = [runs.len() as u64, u64::from(count), results_at as u64, next];
            self.ask(RUNS, &arguments)?;
            let done = self.channel.argument(0);
            self.took += self.channel.argument(2);
            if done == next {
                return Err(Gone(0)); // no room for a single answer
            }
            next = done;
            for k in 0..self.channel.argument(1) as usize {
                let (run, _, ending) = self.result(results_at + k * RESULT_BYTES, outputs);
                all.push((first + run as usize, ending));
            }
        }
        Ok(())
    }

    fn result(&self, at: usize, outputs: usize) -> (u32, u32, Ending) {
        let bytes = self.channel.read(at, RESULT_BYTES);
        let word = |k: usize| u32::from_le_bytes(std::array::from_fn(|b| bytes[k + b]));
        let long = |k: usize| u64::from_le_bytes(std::array::from_fn(|b| bytes[k + b]));
        let dumped = long(24) as usize;
        let ending = Ending {
            ended: Ended::from(bytes[8]),
            flags: bytes[9],
            signal: bytes[10],
            told: long(32),
            breakpoint: word(12),
            address: long(16),
            outputs: if dumped == 0 { Vec::new() } else { self.channel.read(dumped, outputs * 16) },
        };
        (word(0), word(4), ending)
    }

    /// Sets how many hundredths of a second of processor time a run may take.
    pub fn limit(&mut self, ticks: u64) -> Result<(), Gone> {
        self.ask(TICKS, &[ticks]).map(|_| ())
    }

    /// The basic blocks that the function executes, by their first addresses, and how it ends.
    /// `learn` tells of code that is not among `blocks`, when it is reached.
    pub fn classify(
        &mut self,
        blocks: &[Block],
        learn: &mut dyn FnMut(u64) -> std::sync::Arc<Vec<Block>>,
    ) -> Result<(Vec<u64>, Ended), Gone> {
        self.ready()?;
        let count = self.write_blocks(blocks);
        let mut request = self.ask(CLASSIFY, &[count])?;
        while request == REQUEST_BLOCKS {
            let more = learn(self.channel.argument(0));
            let count = self.write_blocks(&more);
            request = self.ask(END, &[count])?;
        }
        let count = self.channel.argument(0) as usize;
        let ended = Ended::from(self.channel.argument(1) as u8);
        let bytes = self.channel.read(0, count * 8);
        let mut addresses: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(std::array::from_fn(|k| word[k])))
            .collect();
        addresses.sort_unstable();
        Ok((addresses, ended))
    }

    fn write_blocks(&self, blocks: &[Block]) -> u64 {
        let mut data = Vec::with_capacity(blocks.len() * BLOCK_BYTES);
        for block in blocks.iter().take(DATA_BYTES / BLOCK_BYTES) {
            data.extend(block.address.to_le_bytes());
            data.extend(block.kind.code().to_le_bytes());
        }
        self.channel.write(0, &data);
        (data.len() / BLOCK_BYTES) as u64
    }

    /// Goes through the function once; at each of the first `most_hits` executions of a site goes
    /// on with each of its spoofs instead of the result, as far as there is time.
    pub fn walk(
        &mut self,
        sites: &[Site],
        most_hits: u64,
        outputs: usize,
        until: Option<Instant>,
    ) -> Result<Walked, Gone> {
        let mut order: Vec<usize> = (0..sites.len()).collect();
        order.sort_by_key(|k| sites[*k].address);
        let mut heads = Vec::new();
        let mut spoofs = Vec::new();
        let mut owners = Vec::new();
        for k in order {
            let site = &sites[k];
            heads.extend(site.address.to_le_bytes());
            heads.extend((owners.len() as u32).to_le_bytes());
            heads.extend((site.spoofs.len() as u32).to_le_bytes());
            heads.extend(site.next.to_le_bytes());
            for (spoof, (offset, bytes)) in site.spoofs.iter().enumerate() {
                spoofs.extend(offset.to_le_bytes());
                spoofs.extend((bytes.len() as u32).to_le_bytes());
                let mut padded = [0u8; 16];
                padded[..bytes.len()].copy_from_slice(bytes);
                spoofs.extend(padded);
                owners.push((k, spoof));
            }
        }
        let results_at = (heads.len() + spoofs.len()).next_multiple_of(64);
        let mut walked = Walked::default();
        let mut first_hit = 0;
        let most = until.map_or(u64::MAX, |_| WALK_BATCH);
        loop {
            self.ready()?;
            self.channel.write(0, &heads);
            self.channel.write(heads.len(), &spoofs);
            let count = owners.len() as u64;
            let arguments =
                [sites.len() as u64, count, results_at as u64, first_hit, most_hits, most];
            self.ask(WALK, &arguments)?;
            let hits = self.channel.argument(0);
            walked.count += self.channel.argument(2);
            for k in 0..self.channel.argument(1) as usize {
                let (hit, spoof, ending) = self.result(results_at + k * RESULT_BYTES, outputs);
                let (site, spoof) = owners[spoof as usize];
                walked.results.push(SpoofedResult { hit: u64::from(hit), site, spoof, ending });
            }
            walked.whole = self.channel.argument(3) == 0;
            let late = until.is_some_and(|until| Instant::now() >= until);
            if walked.whole || late || hits == first_hit {
                return Ok(walked);
            }
            first_hit = hits;
        }
    }

    /// Writes to memory that the process may write.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Gone> {
        for (k, part) in bytes.chunks(DATA_BYTES).enumerate() {
            self.ready()?;
            self.channel.write(0, part);
            let at = address + (k * DATA_BYTES) as u64;
            self.ask(WRITE, &[at, part.len() as u64])?;
        }
        Ok(())
    }

    /// Runs the function instruction by instruction, with patched inputs, and with a spoofed
    /// result if one is given: the site's address, its execution from 0, and what is put where.
    pub fn trace(
        &mut self,
        patches: &[Patch],
        spoof: Option<(u64, u64, u32, &[u8])>,
        most_steps: u64,
        decode: &mut dyn FnMut(u64, &[u8]) -> Decoded,
    ) -> Result<Traced, Gone> {
        let mut steps = Vec::new();
        let (exit, ending) =
            self.trace_each(patches, spoof, most_steps, decode, &mut |step| steps.push(step))?;
        Ok(Traced { steps, exit, ending })
    }

    /// The same, every step handed over as it comes. Gives the registers at the end, and how it ended.
    pub fn trace_each(
        &mut self,
        patches: &[Patch],
        spoof: Option<(u64, u64, u32, &[u8])>,
        most_steps: u64,
        decode: &mut dyn FnMut(u64, &[u8]) -> Decoded,
        each: &mut dyn FnMut(Step),
    ) -> Result<(State, Ending), Gone> {
        let mut data = Vec::new();
        patches.iter().for_each(|patch| push_patch(&mut data, patch));
        let (site, hit, offset, bytes) = spoof.unwrap_or((0, 0, 0, &[]));
        data.extend(offset.to_le_bytes());
        data.extend((bytes.len() as u32).to_le_bytes());
        let mut padded = [0u8; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        data.extend(padded);
        self.ready()?;
        self.channel.write(0, &data);
        let mut request = self.ask(TRACE, &[patches.len() as u64, site, hit, most_steps])?;
        loop {
            match request {
                REQUEST_DECODE => {
                    let address = self.channel.argument(0);
                    let available = (self.channel.argument(1) as usize).min(16);
                    let mut code = Vec::new();
                    for k in 2..4 {
                        code.extend(self.channel.argument(k).to_le_bytes());
                    }
                    code.truncate(available);
                    let decoded = decode(address, &code);
                    code.truncate(decoded.length);
                    self.codes.insert(address, code);
                    self.channel.write(DATA_BYTES - DECODED_BYTES, &encode(&decoded));
                }
                REQUEST_FULL => {
                    let bytes = self.channel.read(0, self.channel.argument(0) as usize);
                    self.records(&bytes, each);
                }
                _ => break,
            }
            request = self.ask(END, &[])?;
        }
        let exit = state_from(&self.layout, &self.channel.read(0, STATE_BYTES));
        let ending = Ending {
            ended: Ended::from(self.channel.argument(1) as u8),
            signal: self.channel.argument(2) as u8,
            flags: self.channel.argument(3) as u8,
            told: 0,
            breakpoint: self.channel.argument(4) as u32,
            address: exit.rip,
            outputs: Vec::new(),
        };
        Ok((exit, ending))
    }

    fn records(&self, bytes: &[u8], each: &mut dyn FnMut(Step)) {
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
        let mut at = 0;
        while at < bytes.len() {
            let (size, operands) = (long(at) as usize, long(at + 8) as usize);
            let used = 192 + self.layout.bytes as usize;
            let before = state_from(&self.layout, &bytes[at + 16..at + 16 + used]);
            let mut here = at + 16 + used;
            let mut reads = Vec::new();
            for _ in 0..operands {
                let (address, length) = (long(here), long(here + 8) as usize);
                let bytes = bytes[here + 16..here + 16 + length].to_vec();
                reads.push(Memory { address, bytes });
                here += 16 + length.next_multiple_of(8);
            }
            let code = self.codes.get(&before.rip).cloned().unwrap_or_default();
            each(Step { address: before.rip, code, before, reads });
            at += size;
        }
    }
}

impl Reader for Worker<'_> {
    /// Reads data: where there is code, it may have breakpoints in it.
    fn read(&mut self, address: u64, length: usize) -> Option<Vec<u8>> {
        self.ready().ok()?;
        // Forbidden, perhaps: the agent can read itself.
        peek(self.process, address, length)
            .or_else(|| read_through(&self.channel, self.process, address, length))
    }
}

/// Reads the memory of a process that stands still, if that is allowed.
pub struct Peek(pub u32);

impl Reader for Peek {
    fn read(&mut self, address: u64, length: usize) -> Option<Vec<u8>> {
        peek(self.0 as i32, address, length)
    }
}

fn peek(process: i32, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0u8; length];
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: length };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: length };
    // SAFETY: the kernel writes at most `length` bytes to our own buffer.
    let got = unsafe { libc::process_vm_readv(process, &local, 1, &remote, 1, 0) };
    (got == length as isize).then_some(bytes)
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        kill_and_reap(self.process);
    }
}

fn push_patch(to: &mut Vec<u8>, patch: &Patch) {
    to.extend(patch.place.to_le_bytes());
    to.extend(patch.length.to_le_bytes());
    to.extend([0; 4]);
    to.extend(patch.bytes);
}

fn encode(decoded: &Decoded) -> [u8; DECODED_BYTES] {
    let mut bytes = [0u8; DECODED_BYTES];
    let count = decoded.operands.len().min(6);
    bytes[8..12].copy_from_slice(&(count as u32).to_le_bytes());
    bytes[12..16].copy_from_slice(&(decoded.length as u32).to_le_bytes());
    bytes[16..24].copy_from_slice(&decoded.target.to_le_bytes());
    bytes[24..32].copy_from_slice(&(decoded.goes as u64).to_le_bytes());
    for (k, operand) in decoded.operands.iter().take(6).enumerate() {
        let (base, index, scale, segment, length, displacement) = *operand;
        let at = 32 + 16 * k;
        bytes[at..at + 4].copy_from_slice(&[base, index, scale, segment]);
        bytes[at + 4..at + 8].copy_from_slice(&length.to_le_bytes());
        bytes[at + 8..at + 16].copy_from_slice(&displacement.to_le_bytes());
    }
    bytes
}
