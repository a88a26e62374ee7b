//! What a worker's two sides share: two batches with the distances to beat and the log
//! of improvements of each, and word of how things stand.

use crate::shared::{PAGE, Shared};
use nanoscope_program::{Fault, RECORD_WORDS};

/// What a probe saw: operands, then the result, two words each.
pub type Record = [u64; RECORD_WORDS];

/// `struct nanoscope_batch` of the runtime.
#[repr(C)]
pub(crate) struct RuntimeBatch {
    pub(crate) points: *const u64,
    pub(crate) outputs: *mut u64,
    pub(crate) count: u64,
    pub(crate) next: u64,
    pub(crate) words: u64,
    pub(crate) fuel: i64,
    pub(crate) stopped: u64,
    pub(crate) burnt: u64,
    pub(crate) most: u64,
    pub(crate) late: *mut u8,
}

/// One improvement as the child writes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) point: u64,
    pub(crate) goal: u64,
    pub(crate) distance: u64,
    /// What the probe observed.
    pub(crate) record: Record,
}

/// How a batch stands.
#[repr(C)]
pub(crate) struct Standing {
    pub(crate) batch: RuntimeBatch,
    /// Entries in the log.
    pub(crate) logged: u64,
    /// Runs that ended with `abort` or by dividing an integer by zero.
    pub(crate) aborted: u64,
}

/// The first page.
#[repr(C)]
pub(crate) struct Head {
    standings: [Standing; SLOTS],
    /// Set by a dying child that could not get a page of memory any more.
    pub(crate) out_of_memory: u64,
    /// Why the library could not be used, if so.
    pub(crate) trouble: Note,
}

/// A short text across processes.
#[repr(C)]
pub(crate) struct Note {
    length: u64,
    text: [u8; 1024],
}

impl Note {
    pub(crate) fn write(&mut self, text: &str) {
        let length = text.len().min(self.text.len());
        self.text[..length].copy_from_slice(&text.as_bytes()[..length]);
        self.length = length as u64;
    }

    pub(crate) fn read(&self) -> Option<String> {
        let length = (self.length as usize).min(self.text.len());
        (length > 0).then(|| String::from_utf8_lossy(&self.text[..length]).into_owned())
    }
}

/// Batches that there is room for: one is run while the other is drawn or waits.
pub(crate) const SLOTS: usize = 2;

/// The room of one batch.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) standing: *mut Standing,
    pub(crate) points: *mut u64,
    /// For every goal the distance to beat.
    pub(crate) best: *mut u64,
    pub(crate) log: *mut Entry,
    /// For every point of the batch, whether its run was ended early.
    pub(crate) late: *mut u8,
}

/// The shared memory, laid out. Plain addresses: both sides know them.
pub(crate) struct Board {
    pub(crate) head: *mut Head,
    pub(crate) slots: [Slot; SLOTS],
    pub(crate) point_bytes: usize,
    /// The goals of the library, its edges included.
    pub(crate) goals: usize,
    /// Those of the target: of a large library, few.
    pub(crate) active: Vec<usize>,
    /// Entries from which on a goal's last one is written over. Beyond there is room
    /// for every goal once.
    pub(crate) log_full: usize,
    pub(crate) capacity: usize,
    pub(crate) words: usize,
    _memory: Shared,
}

impl Board {
    pub(crate) fn new(
        capacity: usize,
        words: usize,
        output_words: usize,
        goals: usize,
        active: Vec<usize>,
    ) -> Result<Board, Fault> {
        let mut end = 0;
        let mut reserve = |bytes: usize| {
            let start = end;
            end = (end + bytes.max(1)).next_multiple_of(PAGE);
            start
        };
        let log_full = 4096;
        let point_bytes = (capacity * words * 8).max(8).next_multiple_of(PAGE);
        let head = reserve(size_of::<Head>());
        let slots = [(); SLOTS].map(|()| {
            let points = reserve(point_bytes);
            let best = reserve(goals.max(1) * 8);
            let log = reserve((log_full + active.len() + 1) * size_of::<Entry>());
            (points, best, log, reserve(capacity))
        });
        // Its own pages at the end: a wild store past it hits nothing of ours.
        let outputs = reserve((output_words.max(1) + 8) * 8);
        let memory = Shared::new(end)?;
        let head = memory.at::<Head>(head);
        let mut number = 0;
        let slots = slots.map(|(points, best, log, late)| {
            // SAFETY: fresh zeroed memory of this layout, no child yet.
            let standing = unsafe { &raw mut (*head).standings[number] };
            number += 1;
            let slot = Slot {
                standing,
                points: memory.at(points),
                best: memory.at(best),
                log: memory.at(log),
                late: memory.at(late),
            };
            // SAFETY: as above.
            unsafe {
                (*standing).batch.points = slot.points;
                (*standing).batch.outputs = memory.at(outputs);
                (*standing).batch.words = words as u64;
                (*standing).batch.late = slot.late;
            }
            slot
        });
        Ok(Board {
            head,
            slots,
            point_bytes,
            goals,
            active,
            log_full,
            capacity,
            words,
            _memory: memory,
        })
    }
}
