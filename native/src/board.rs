//! What a worker's two sides share: the batch, the distances to beat, the log of
//! improvements, and word of how things stand.

use crate::runner::Record;
use crate::shared::{PAGE, Shared};
use nanoscope_program::Fault;

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

/// The first page.
#[repr(C)]
pub(crate) struct Head {
    pub(crate) batch: RuntimeBatch,
    /// Entries in the log.
    pub(crate) logged: u64,
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

/// The shared memory, laid out. Plain addresses: both sides know them.
pub(crate) struct Board {
    pub(crate) head: *mut Head,
    /// Two buffers of points: one is run while the other is filled.
    pub(crate) points: [*mut u64; 2],
    pub(crate) point_bytes: usize,
    pub(crate) best: *mut u64,
    pub(crate) goals: usize,
    pub(crate) log: *mut Entry,
    /// Entries after which a batch is ended early; one run's entries fit beyond.
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
        let points = [reserve(point_bytes), reserve(point_bytes)];
        let best = reserve(goals.max(1) * 8);
        let log = reserve((log_full + goals + 1) * size_of::<Entry>());
        // Its own pages at the end: a wild store past it hits nothing of ours.
        let outputs = reserve((output_words.max(1) + 8) * 8);
        let memory = Shared::new(end)?;
        let board = Board {
            head: memory.at(head),
            points: points.map(|offset| memory.at(offset)),
            point_bytes,
            best: memory.at(best),
            goals,
            log: memory.at(log),
            log_full,
            capacity,
            words,
            _memory: memory,
        };
        // SAFETY: fresh zeroed memory of this layout, no child yet.
        unsafe {
            (*board.head).batch.outputs = board._memory.at(outputs);
            (*board.head).batch.words = words as u64;
        }
        Ok(board)
    }
}
