//! What the symbolic machine holds: terms for the bytes of registers and memory that depend
//! on the unknowns. Everything else is concrete, and the trace knows it.

use nanoscope_term::Term;
use std::collections::HashMap;

/// A byte of a term that is a string of bits, the lowest byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) term: Term,
    pub(super) index: u8,
}

/// A byte that an instruction reads: what it is in the trace, and what it is a part of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Byte {
    pub(super) known: u8,
    pub(super) part: Option<Part>,
}

/// Bytes as they are written: none where the trace knows.
pub(super) type Parts = Vec<Option<Part>>;

/// The status flags that conditions read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Carry,
    Parity,
    Adjust,
    Zero,
    Sign,
    Overflow,
}

impl Status {
    pub(super) const ALL: [Status; 6] = [
        Status::Carry,
        Status::Parity,
        Status::Adjust,
        Status::Zero,
        Status::Sign,
        Status::Overflow,
    ];

    /// Its bit in rflags.
    pub(super) const fn bit(self) -> u64 {
        match self {
            Status::Carry => 1,
            Status::Parity => 1 << 2,
            Status::Adjust => 1 << 4,
            Status::Zero => 1 << 6,
            Status::Sign => 1 << 7,
            Status::Overflow => 1 << 11,
        }
    }
}

/// Where bytes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A vector register, from this byte on.
    Vector(u8, u8),
    /// A general register, from this byte on.
    General(u8, u8),
    /// Memory from this address on.
    Memory(u64),
}

/// What an instruction does to the machine.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// Bytes are overwritten.
    Bytes(Place, Parts),
    /// A status flag is overwritten.
    Status(Status, Option<Term>),
    /// The status flags tell how these floats compare, as `comisd` sets them.
    Comparison(Term, Term),
    /// The low bits of a mask register are overwritten, the others cleared.
    Mask(u8, Vec<Option<Term>>),
    /// An x87 register, by its physical number, is overwritten.
    Stack(u8, Option<Term>),
    /// x87's condition codes C0, C2 and C3 are overwritten.
    Codes([Option<Term>; 3]),
    /// The trace goes on as it does only if this holds.
    Path(Term),
    /// The instruction computes this float in this lane.
    Result(u32, Term),
    /// All vector and mask registers go to memory here.
    Save(u64),
    /// All vector and mask registers come from memory here.
    Restore(u64),
}

#[derive(Clone, Debug)]
struct Vectors {
    vectors: Box<[[Option<Part>; 64]; 32]>,
    masks: [[Option<Term>; 64]; 8],
}

/// The symbolic contents of registers and memory.
#[derive(Clone, Debug)]
pub(super) struct SymbolicState {
    vectors: Vectors,
    general: [[Option<Part>; 8]; 16],
    stack: [Option<Term>; 8],
    status: [Option<Term>; 6],
    comparison: Option<(Term, Term)>,
    codes: [Option<Term>; 3],
    memory: HashMap<u64, Part>,
    saved: HashMap<u64, Vectors>,
}

impl SymbolicState {
    /// Everything concrete.
    pub(super) fn new() -> SymbolicState {
        let vectors = Vectors { vectors: Box::new([[None; 64]; 32]), masks: [[None; 64]; 8] };
        SymbolicState {
            vectors,
            general: [[None; 8]; 16],
            stack: [None; 8],
            status: [None; 6],
            comparison: None,
            codes: [None; 3],
            memory: HashMap::new(),
            saved: HashMap::new(),
        }
    }

    /// What a byte is a part of, `offset` bytes from a place.
    pub(super) fn part(&self, place: Place, offset: usize) -> Option<Part> {
        match place {
            Place::Vector(register, from) => {
                self.vectors.vectors[register as usize].get(from as usize + offset).copied()?
            }
            Place::General(register, from) => {
                self.general[register as usize].get(from as usize + offset).copied()?
            }
            Place::Memory(address) => {
                self.memory.get(&address.wrapping_add(offset as u64)).copied()
            }
        }
    }

    /// Whether any of so many bytes is symbolic.
    pub(super) fn touches(&self, place: Place, size: usize) -> bool {
        (0..size).any(|offset| self.part(place, offset).is_some())
    }

    /// A bit of a mask register.
    pub(super) fn mask(&self, register: u8, bit: usize) -> Option<Term> {
        self.vectors.masks[register as usize][bit]
    }

    /// Whether any bit of a mask register is symbolic.
    pub(super) fn touches_mask(&self, register: u8) -> bool {
        self.vectors.masks[register as usize].iter().any(Option::is_some)
    }

    /// A status flag.
    pub(super) fn status(&self, status: Status) -> Option<Term> {
        self.status[status as usize]
    }

    /// The floats whose comparison the status flags tell.
    pub(super) fn comparison(&self) -> Option<(Term, Term)> {
        self.comparison
    }

    /// An x87 register by its physical number.
    pub(super) fn stack(&self, register: u8) -> Option<Term> {
        self.stack[register as usize]
    }

    /// x87's condition codes C0, C2 and C3.
    pub(super) fn codes(&self) -> [Option<Term>; 3] {
        self.codes
    }

    /// Makes bytes concrete.
    pub(super) fn clear(&mut self, place: Place, size: usize) {
        self.write(place, std::iter::repeat_n(None, size));
    }

    /// Makes a mask register concrete.
    pub(super) fn clear_mask(&mut self, register: u8) {
        self.vectors.masks[register as usize] = [None; 64];
    }

    /// Makes a status flag concrete.
    pub(super) fn clear_status(&mut self, status: Status) {
        self.status[status as usize] = None;
        self.comparison = None;
    }

    /// Makes the x87 registers and condition codes concrete.
    pub(super) fn clear_x87(&mut self) {
        self.stack = [None; 8];
        self.codes = [None; 3];
    }

    /// Whether x87 holds anything symbolic.
    pub(super) fn touches_x87(&self) -> bool {
        self.stack.iter().chain(&self.codes).any(Option::is_some)
    }

    /// Writes bytes from a place on; what lies beyond a register is dropped.
    pub(super) fn write(&mut self, place: Place, parts: impl Iterator<Item = Option<Part>>) {
        match place {
            Place::Vector(register, from) => {
                let bytes = &mut self.vectors.vectors[register as usize][from as usize..];
                bytes.iter_mut().zip(parts).for_each(|(byte, part)| *byte = part);
            }
            Place::General(register, from) => {
                let bytes = &mut self.general[register as usize][from as usize..];
                bytes.iter_mut().zip(parts).for_each(|(byte, part)| *byte = part);
            }
            Place::Memory(address) => {
                for (offset, part) in parts.enumerate() {
                    let at = address.wrapping_add(offset as u64);
                    match part {
                        Some(part) => self.memory.insert(at, part),
                        None if self.memory.is_empty() => continue,
                        None => self.memory.remove(&at),
                    };
                }
            }
        }
    }

    /// Lets an effect take place; path conditions and results are the lifter's.
    pub(super) fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::Bytes(place, parts) => self.write(*place, parts.iter().copied()),
            Effect::Status(status, term) => {
                self.clear_status(*status);
                self.status[*status as usize] = *term;
            }
            Effect::Comparison(a, b) => self.comparison = Some((*a, *b)),
            Effect::Mask(register, bits) => {
                self.clear_mask(*register);
                let mask = &mut self.vectors.masks[*register as usize];
                mask.iter_mut().zip(bits).for_each(|(bit, term)| *bit = *term);
            }
            Effect::Stack(register, term) => self.stack[*register as usize] = *term,
            Effect::Codes(codes) => self.codes = *codes,
            Effect::Save(address) => {
                self.saved.insert(*address, self.vectors.clone());
            }
            Effect::Restore(address) => {
                if let Some(vectors) = self.saved.get(address) {
                    self.vectors = vectors.clone();
                }
            }
            Effect::Path(_) | Effect::Result(..) => {}
        }
    }
}
