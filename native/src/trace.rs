//! What a replay's two sides share: the inputs, the outputs, and the events as the
//! child writes them down, once for every place and kind.

use crate::board::Note;
use crate::shared::{PAGE, Shared};
use nanoscope_program::Fault;

/// MXCSR's and x87's exception flags.
pub(crate) const INVALID: u32 = 1;
pub(crate) const DIVIDE_BY_ZERO: u32 = 4;
pub(crate) const OVERFLOW: u32 = 8;
pub(crate) const UNDERFLOW: u32 = 16;
/// Ours: beyond the six of the hardware.
pub(crate) const OUT_OF_RANGE: u32 = 64;
pub(crate) const WRAPPED: u32 = 128;

/// What an event's `address` is when no frame of the library was found.
pub(crate) const NOWHERE: u64 = u64::MAX;

/// A number as `struct nanoscope_number` has it, but wide enough for a register.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawNumber {
    /// 0 for none, 1 for an integer, else the width of the lanes' format.
    pub(crate) kind: u32,
    pub(crate) lanes: u32,
    pub(crate) words: [u64; 4],
}

impl RawNumber {
    pub(crate) const INTEGER: u32 = 1;

    /// A lane's encoding.
    pub(crate) fn lane(&self, lane: usize) -> u128 {
        match self.kind {
            32 => u128::from((self.words[lane / 2 % 4] >> (32 * (lane % 2))) as u32),
            128 => u128::from(self.words[0]) | u128::from(self.words[1]) << 64,
            80 => u128::from(self.words[0]) | u128::from(self.words[1] & 0xffff) << 64,
            _ => u128::from(self.words[lane % 4]),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawEvent {
    /// The library's instruction, as linked, or [`NOWHERE`].
    pub(crate) address: u64,
    pub(crate) flags: u32,
    /// The site that says so itself; 0 for none, else its number plus one.
    pub(crate) told_by: u32,
    /// Whether `name` is the libm function called (else what the trap was within).
    pub(crate) is_call: u32,
    pub(crate) times: u64,
    pub(crate) operands: [RawNumber; 3],
    pub(crate) result: RawNumber,
    pub(crate) name: [u8; 64],
    /// What [`seal`](RawEvent::seal) made of the rest: the code under test may write anywhere.
    seal: u64,
}

impl RawEvent {
    pub(crate) fn at(address: u64) -> RawEvent {
        RawEvent {
            address,
            flags: 0,
            told_by: 0,
            is_call: 0,
            times: 1,
            operands: [RawNumber::default(); 3],
            result: RawNumber::default(),
            name: [0; 64],
            seal: 0,
        }
    }

    /// Makes it one that [`is_whole`](RawEvent::is_whole). How often it happened may change later.
    pub(crate) fn seal(&mut self) {
        self.seal = self.digest();
    }

    /// Whether nothing was written over it.
    pub(crate) fn is_whole(&self) -> bool {
        self.seal == self.digest()
    }

    fn digest(&self) -> u64 {
        let numbers = self.operands.iter().chain([&self.result]);
        let numbers = numbers.flat_map(|number| {
            let kind = u64::from(number.kind) << 32 | u64::from(number.lanes);
            [kind].into_iter().chain(number.words)
        });
        let name = self.name.chunks_exact(8);
        let name = name.map(|bytes| u64::from_ne_bytes(bytes.try_into().expect("eight bytes")));
        let marks = u64::from(self.flags) << 32 | u64::from(self.told_by);
        let head = [self.address, marks, u64::from(self.is_call)].into_iter();
        head.chain(numbers).chain(name).fold(0x9e37_79b9_7f4a_7c15, |digest, word| {
            (digest.rotate_left(23) ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        })
    }

    /// That of its operands; 0 where they cannot be told apart.
    pub(crate) fn fingerprint(&self) -> u64 {
        let given = || self.operands.iter().filter(|operand| operand.kind != 0);
        if given().any(|operand| operand.lanes > 1 || operand.kind == RawNumber::INTEGER) {
            return 0;
        }
        fingerprint(given().map(|operand| {
            let sign = 1u128 << (operand.kind - 1);
            operand.lane(0) & (sign - 1)
        }))
    }

    /// Appends as much of a name as fits.
    pub(crate) fn append_name(&mut self, text: &[u8]) {
        let used = self.name.iter().position(|byte| *byte == 0).unwrap_or(self.name.len());
        for (to, from) in self.name[used..].iter_mut().zip(text) {
            *to = *from;
        }
    }

    pub(crate) fn name(&self) -> Option<String> {
        let used = self.name.iter().position(|byte| *byte == 0).unwrap_or(self.name.len());
        (used > 0).then(|| String::from_utf8_lossy(&self.name[..used]).into_owned())
    }
}

/// What a replay looks for. Traps cost far more than the operations they are about: who
/// wants to know of one exception only should ask for that one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// The exceptions that trap.
    pub(crate) flags: u32,
    /// Not 0: nothing traps, and every instruction of the sites wanted is stopped at. Where
    /// much else happens, that is sooner there.
    pub(crate) stops: u32,
    /// How many of `wanted` are asked for: when all were seen it is enough. None: all is told.
    pub(crate) count: u32,
    /// The rounding mode, as MXCSR and x87's control word have it: to nearest, down, up,
    /// toward zero.
    pub(crate) rounding: u32,
    pub(crate) wanted: [Wanted; WANTED],
}

/// What a replay is to see.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) flag: u32,
    pub(crate) site: u32,
    /// The [`fingerprint`] of the operands that the site is expected to have; 0, any.
    pub(crate) operands: u64,
}

/// What a replay can look for at once.
pub(crate) const WANTED: usize = 32;

/// The same for the same magnitudes in any order, never 0.
pub(crate) fn fingerprint(magnitudes: impl Iterator<Item = u128>) -> u64 {
    let mixed = magnitudes.map(|bits| {
        let word = bits as u64 ^ (bits >> 64) as u64;
        (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    });
    mixed.fold(0, u64::wrapping_add) | 1
}

#[repr(C)]
pub(crate) struct Head {
    pub(crate) asked: Asked,
    /// Events in the log.
    pub(crate) events: u64,
    /// Events that found the log full.
    pub(crate) lost: u64,
    /// Traps taken.
    pub(crate) traps: u64,
    /// The budget of traps was used up: the rest ran unwatched.
    pub(crate) unwatched: u64,
    pub(crate) returned: u64,
    /// What was looked for was seen.
    pub(crate) seen: u64,
    /// The run was left because it took too long.
    pub(crate) left: u64,
    /// The run was left because it aborted.
    pub(crate) aborted: u64,
    pub(crate) out_of_memory: u64,
    pub(crate) trouble: Note,
}

/// Distinct events kept: far more than a program has operations that misbehave.
pub(crate) const EVENTS: usize = 8192;

pub(crate) struct Trace {
    pub(crate) head: *mut Head,
    pub(crate) inputs: *mut u64,
    pub(crate) outputs: *mut u64,
    pub(crate) log: *mut RawEvent,
    pub(crate) memory: Shared,
}

impl Trace {
    /// Forgets the last run.
    ///
    /// # Safety
    /// No child is running.
    pub(crate) unsafe fn clear(&self, output_words: usize) {
        // SAFETY: fresh memory or a run's, of this layout, and nobody else's now.
        unsafe {
            let head = &mut *self.head;
            (head.events, head.lost, head.traps) = (0, 0, 0);
            (head.unwatched, head.returned, head.out_of_memory) = (0, 0, 0);
            (head.seen, head.left, head.aborted) = (0, 0, 0);
            std::ptr::write_bytes(self.outputs, 0, output_words);
        }
    }

    pub(crate) fn new(input_words: usize, output_words: usize) -> Result<Trace, Fault> {
        let memory = Shared::new(layout(input_words).1 + (output_words + 8) * 8)?;
        Ok(Trace::over(memory, input_words))
    }

    /// What another process made.
    pub(crate) fn over(memory: Shared, input_words: usize) -> Trace {
        let (log, outputs) = layout(input_words);
        Trace {
            head: memory.at(0),
            inputs: memory.at(INPUTS),
            outputs: memory.at(outputs),
            log: memory.at(log),
            memory,
        }
    }
}

/// Where the inputs begin.
const INPUTS: usize = size_of::<Head>().next_multiple_of(PAGE);

/// Where the log and the outputs begin.
fn layout(input_words: usize) -> (usize, usize) {
    let log = INPUTS + (input_words.max(1) * 8).next_multiple_of(PAGE);
    (log, log + (EVENTS * size_of::<RawEvent>()).next_multiple_of(PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_was_written_over_is_not_whole() {
        let mut event = RawEvent::at(0x1234);
        event.flags = OVERFLOW;
        assert!(!event.is_whole());
        event.seal();
        event.times += 1;
        assert!(event.is_whole());
        let words = size_of::<RawEvent>() / 4;
        let times = std::mem::offset_of!(RawEvent, times) / 4;
        for word in (0..words).filter(|word| *word != times && *word != times + 1) {
            let mut copy = event;
            // SAFETY: within the event, which any bytes are one of.
            let place = unsafe { (&raw mut copy).cast::<u32>().add(word) };
            // SAFETY: as above.
            unsafe { place.write(place.read() ^ 0x4048_f5a8) };
            let padding = std::mem::offset_of!(RawEvent, is_call) / 4 + 1;
            assert_eq!(copy.is_whole(), word == padding && padding != times, "word {word}");
        }
    }
}
