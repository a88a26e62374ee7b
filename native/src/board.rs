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

/// What the layout of the memory depends on.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Points of a batch.
    pub(crate) capacity: usize,
    /// Of a point, and of what it gives.
    pub(crate) words: usize,
    pub(crate) output_words: usize,
    /// The goals of the library, its edges included; and how many are the target's.
    pub(crate) goals: usize,
    pub(crate) active: usize,
}

impl Shape {
    pub(crate) fn numbers(self) -> [u64; 5] {
        let Shape { capacity, words, output_words, goals, active } = self;
        [capacity, words, output_words, goals, active].map(|number| number as u64)
    }

    pub(crate) fn of(numbers: [u64; 5]) -> Shape {
        let [capacity, words, output_words, goals, active] = numbers.map(|number| number as usize);
        Shape { capacity, words, output_words, goals, active }
    }
}

/// The shared memory, laid out, at the addresses of this process.
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
    pub(crate) memory: Shared,
    shape: Shape,
    outputs: *mut u64,
    listed: *mut u64,
}

/// Where in the memory everything is.
struct Layout {
    head: usize,
    /// Points, best, log, late.
    slots: [[usize; 4]; SLOTS],
    listed: usize,
    outputs: usize,
    end: usize,
}

/// Entries of a log from which on a goal's last one is written over.
const LOG_FULL: usize = 4096;

impl Shape {
    fn point_bytes(self) -> usize {
        (self.capacity * self.words * 8).max(8).next_multiple_of(PAGE)
    }

    fn layout(self) -> Layout {
        let mut end = 0;
        let mut reserve = |bytes: usize| {
            let start = end;
            end = (end + bytes.max(1)).next_multiple_of(PAGE);
            start
        };
        let head = reserve(size_of::<Head>());
        let slots = [(); SLOTS].map(|()| {
            let points = reserve(self.point_bytes());
            let best = reserve(self.goals.max(1) * 8);
            let log = reserve((LOG_FULL + self.active + 1) * size_of::<Entry>());
            [points, best, log, reserve(self.capacity)]
        });
        let listed = reserve(self.active * 8);
        // Its own pages at the end: a wild store past it hits nothing of ours.
        let outputs = reserve((self.output_words.max(1) + 8) * 8);
        Layout { head, slots, listed, outputs, end }
    }
}

impl Board {
    /// The board of a worker with these goals active.
    pub(crate) fn new(shape: Shape, active: Vec<usize>) -> Result<Board, Fault> {
        assert_eq!(shape.active, active.len());
        let memory = Shared::new(shape.layout().end)?;
        Ok(Board::over(memory, shape, active))
    }

    /// The same seen by a child that begins.
    pub(crate) fn of_child(memory: Shared, shape: Shape) -> Board {
        let mut board = Board::over(memory, shape, Vec::new());
        // SAFETY: memory of this layout; nobody else writes while a child begins.
        unsafe {
            let listed = std::slice::from_raw_parts(board.listed, shape.active);
            board.active = listed.iter().map(|goal| *goal as usize).collect();
            for slot in board.slots {
                let batch = &mut (*slot.standing).batch;
                (batch.points, batch.late) = (slot.points, slot.late);
                (batch.outputs, batch.words) = (board.outputs, shape.words as u64);
            }
        }
        board
    }

    fn over(memory: Shared, shape: Shape, active: Vec<usize>) -> Board {
        let Layout { head, slots, listed, outputs, .. } = shape.layout();
        let head = memory.at::<Head>(head);
        let mut number = 0;
        let slots = slots.map(|[points, best, log, late]| {
            // SAFETY: memory of this layout.
            let standing = unsafe { &raw mut (*head).standings[number] };
            number += 1;
            Slot {
                standing,
                points: memory.at(points),
                best: memory.at(best),
                log: memory.at(log),
                late: memory.at(late),
            }
        });
        Board {
            head,
            slots,
            point_bytes: shape.point_bytes(),
            goals: shape.goals,
            active,
            log_full: LOG_FULL,
            capacity: shape.capacity,
            words: shape.words,
            listed: memory.at(listed),
            outputs: memory.at(outputs),
            memory,
            shape,
        }
    }

    /// Makes the memory ready for a child, whatever the last one has written into it; says what
    /// the layout depends on.
    pub(crate) fn make_ready(&self) -> Shape {
        // SAFETY: no child is there to see it; the list has room for them.
        unsafe {
            (*self.head).out_of_memory = 0;
            for (at, goal) in self.active.iter().enumerate() {
                *self.listed.add(at) = *goal as u64;
            }
        }
        self.shape
    }
}
