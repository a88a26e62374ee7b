//! An object: its bytes, which of them are undefined, and unknown values over them.

use crate::Value;
use crate::compute::Compute;
use nanoscope_ieee::Word;
use nanoscope_program::ir::Type;
use nanoscope_term::{BitsOp, Term, Value as Known};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A local variable.
    Stack,
    /// From `malloc` and its like.
    Heap,
    /// A global variable.
    Global,
    /// A global variable that must not be written.
    Constant,
    /// A function's code.
    Function,
    /// What the program was started with: `argv`, the inputs of a function.
    Argument,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    kind: Kind,
    name: Option<Arc<str>>,
    bytes: Box<[u8]>,
    undefined: Undefined,
    /// Unknown values by offset; they do not overlap. The bytes below them mean nothing, and
    /// count as defined.
    cells: BTreeMap<u32, Cell>,
}

/// A scalar that lies in memory, whole.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub value: Value,
    pub ty: Type,
}

impl Cell {
    fn bytes(&self) -> u64 {
        self.ty.stored_bytes()
    }
}

/// Which bytes nobody has written yet.
#[derive(Clone, Debug, PartialEq)]
enum Undefined {
    Nothing,
    Everything,
    /// A bit a byte, and how many are set.
    Some(Box<[u64]>, u64),
}

/// What a stretch of an object consists of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Known(Range<u64>),
    Undefined(Range<u64>),
    /// The cell at this offset; the range is what of it lies in the stretch.
    Cell(u64, Range<u64>),
}

impl Object {
    pub(super) fn new(size: u64, kind: Kind, name: Option<Arc<str>>) -> Object {
        let undefined = match kind {
            Kind::Stack | Kind::Heap if size > 0 => Undefined::Everything,
            _ => Undefined::Nothing,
        };
        let bytes = vec![0; size as usize].into_boxed_slice();
        Object { kind, name, bytes, undefined, cells: BTreeMap::new() }
    }

    /// What it is.
    #[inline]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its size in bytes.
    #[inline]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Its name in the source, where that is known.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What it is, in words.
    pub fn description(&self) -> String {
        let what = match self.kind {
            Kind::Stack => "local variable",
            Kind::Heap => "heap object",
            Kind::Global => "global variable",
            Kind::Constant => "constant",
            Kind::Function => return "function".to_string(),
            Kind::Argument => "argument",
        };
        format!("{what} of {} bytes", self.size())
    }

    /// Whether a stretch inside it is plain known bytes.
    #[inline]
    pub(super) fn is_plain(&self, range: Range<u64>) -> bool {
        let defined = match &self.undefined {
            Undefined::Nothing => true,
            Undefined::Everything => false,
            Undefined::Some(..) => range.clone().all(|at| !self.is_undefined(at)),
        };
        defined && self.has_no_cell(range)
    }

    /// Whether no cell reaches into a stretch.
    #[inline]
    pub(super) fn has_no_cell(&self, range: Range<u64>) -> bool {
        self.cells.is_empty() || {
            let before = self.cells.range(..range.end as u32).next_back();
            before.is_none_or(|(start, cell)| u64::from(*start) + cell.bytes() <= range.start)
        }
    }

    /// Whether no cell is a pointer.
    pub(super) fn has_no_unknown_pointer(&self) -> bool {
        self.cells.values().all(|cell| cell.ty != Type::Pointer)
    }

    /// Its bytes; those under cells mean nothing.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    fn is_undefined(&self, at: u64) -> bool {
        match &self.undefined {
            Undefined::Nothing => false,
            Undefined::Everything => true,
            Undefined::Some(bits, _) => bits[at as usize / 64] >> (at % 64) & 1 == 1,
        }
    }

    /// Marks bytes as defined or not.
    pub(super) fn mark(&mut self, range: Range<u64>, undefined: bool) {
        let size = self.size();
        let whole = range.start == 0 && range.end == size;
        let (bits, count) = match (&mut self.undefined, undefined) {
            (Undefined::Nothing, false) | (Undefined::Everything, true) => return,
            (state, false) if whole => return *state = Undefined::Nothing,
            (state, true) if whole => return *state = Undefined::Everything,
            (Undefined::Some(bits, count), _) => (bits, count),
            (state, _) => {
                let (word, count) = if undefined { (0, 0) } else { (u64::MAX, size) };
                let words = vec![word; (size as usize).div_ceil(64)];
                *state = Undefined::Some(words.into_boxed_slice(), count);
                let Undefined::Some(bits, count) = state else { return };
                (bits, count)
            }
        };
        for at in range {
            let bit = 1 << (at % 64);
            let word = &mut bits[at as usize / 64];
            match (*word & bit != 0, undefined) {
                (false, true) => *count += 1,
                (true, false) => *count -= 1,
                (false, false) | (true, true) => {}
            }
            *word = if undefined { *word | bit } else { *word & !bit };
        }
        // Loads are faster where no byte is undefined any more.
        if *count == 0 {
            self.undefined = Undefined::Nothing;
        }
    }

    /// Writes known bytes where no cell is.
    #[inline]
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let start = offset as usize;
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
        if self.undefined != Undefined::Nothing {
            self.mark(offset..offset + bytes.len() as u64, false);
        }
    }

    /// The cell that begins here and has that many bytes.
    pub(super) fn cell(&self, offset: u64, bytes: u64) -> Option<&Cell> {
        self.cells.get(&(offset as u32)).filter(|cell| cell.bytes() == bytes)
    }

    /// What a stretch consists of, in order and without gaps.
    pub(super) fn pieces(&self, range: Range<u64>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = range.start;
        let before = self.cells.range(..range.start as u32).next_back();
        let inside = self.cells.range(range.start as u32..range.end as u32);
        let cells = before
            .into_iter()
            .filter(|(start, cell)| u64::from(**start) + cell.bytes() > range.start)
            .chain(inside);
        for (start, cell) in cells {
            let (start, end) = (u64::from(*start), u64::from(*start) + cell.bytes());
            self.plain_pieces(at..start, &mut pieces);
            let stop = end.min(range.end);
            pieces.push(Piece::Cell(start, start.max(range.start)..stop));
            at = stop;
        }
        self.plain_pieces(at..range.end, &mut pieces);
        pieces
    }

    fn plain_pieces(&self, range: Range<u64>, pieces: &mut Vec<Piece>) {
        let mut start = range.start;
        while start < range.end {
            let undefined = self.is_undefined(start);
            let end = if self.undefined == Undefined::Nothing {
                range.end
            } else {
                (start..range.end)
                    .find(|at| self.is_undefined(*at) != undefined)
                    .unwrap_or(range.end)
            };
            pieces.push(if undefined {
                Piece::Undefined(start..end)
            } else {
                Piece::Known(start..end)
            });
            start = end;
        }
    }

    /// The bits of a part of a cell.
    pub(super) fn cell_bits(&self, compute: &mut Compute, start: u64, part: &Range<u64>) -> Term {
        let cell = &self.cells[&(start as u32)];
        let bits = padded_bits(compute, &cell.value, &cell.ty);
        let low = (part.start - start) as u32 * 8;
        let high = (part.end - start) as u32 * 8 - 1;
        compute.terms.extract(high, low, bits)
    }

    /// The bits of a stretch that has nothing undefined in it, the first byte lowest.
    pub(super) fn bits(&self, compute: &mut Compute, range: Range<u64>) -> Term {
        let mut all: Option<Term> = None;
        for piece in self.pieces(range) {
            let bits = match piece {
                Piece::Known(part) | Piece::Undefined(part) => {
                    let bytes = &self.bytes[part.start as usize..part.end as usize];
                    compute.terms.constant(Known::Bits(word_of_bytes(bytes)))
                }
                Piece::Cell(start, part) => self.cell_bits(compute, start, &part),
            };
            all = Some(match all {
                None => bits,
                Some(low) => compute.terms.concat(bits, low),
            });
        }
        all.expect("at least one byte")
    }

    /// Makes room for a write: cells inside the stretch go, those across its ends keep what
    /// is outside.
    pub(super) fn clear(&mut self, compute: &mut Compute, range: Range<u64>) {
        if self.cells.is_empty() {
            return;
        }
        for piece in self.pieces(range.clone()) {
            let Piece::Cell(start, _) = piece else { continue };
            let end = start + self.cells[&(start as u32)].bytes();
            let outside = [start..range.start.max(start), range.end.min(end)..end];
            let rests = outside.map(|part| {
                (!part.is_empty()).then(|| (part.start, self.cell_bits(compute, start, &part)))
            });
            self.cells.remove(&(start as u32));
            for (at, bits) in rests.into_iter().flatten() {
                self.put_bits(compute, at, bits);
            }
        }
    }

    /// Puts bits where no cell is.
    pub(super) fn put_bits(&mut self, compute: &mut Compute, offset: u64, bits: Term) {
        let width = compute.terms.width(bits);
        let value = compute.integer_value(bits);
        self.put(compute, offset, Type::Integer(width), value);
    }

    /// Puts a scalar where no cell is.
    pub(super) fn put(&mut self, compute: &mut Compute, offset: u64, ty: Type, value: Value) {
        let count = ty.stored_bytes();
        match &value {
            Value::Small(bits) => {
                self.write(offset, &bits.to_le_bytes()[..count.min(8) as usize]);
                if count > 8 {
                    self.write(offset + 8, &vec![0; count as usize - 8]);
                }
            }
            Value::Wide(word) => self.write(offset, &bytes_of_word(word, count)),
            Value::Undefined => self.mark(offset..offset + count, true),
            Value::Term(_) | Value::Float { .. } => {
                self.mark(offset..offset + count, false);
                self.cells.insert(offset as u32, Cell { value, ty });
            }
            Value::Parts(_) => {
                let bits = compute.bits_of(&value, &ty);
                self.put_bits(compute, offset, bits);
            }
        }
    }
}

/// A scalar's bits as they lie in memory: zeros up to a whole number of bytes.
pub(super) fn padded_bits(compute: &mut Compute, value: &Value, ty: &Type) -> Term {
    let bits = compute.bits_of(value, ty);
    let width = compute.terms.width(bits);
    let more = ty.stored_bytes() as u32 * 8 - width;
    if more == 0 { bits } else { compute.terms.bits_op(BitsOp::ZeroExtend(more), &[bits]) }
}

/// Bytes as one word, the first lowest.
pub(super) fn word_of_bytes(bytes: &[u8]) -> Word {
    let width = bytes.len() as u32 * 8;
    if bytes.len() <= 16 {
        let value = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
        return Word::new(width, value);
    }
    let bits: Vec<bool> =
        bytes.iter().flat_map(|byte| (0..8).map(move |at| byte >> at & 1 == 1)).collect();
    Word::from_bits(&bits)
}

/// A word as so many bytes, the lowest first.
pub(super) fn bytes_of_word(word: &Word, count: u64) -> Vec<u8> {
    if word.width() <= 128 && count <= 16 {
        let value = word.to_u128().expect("at most 128 bits");
        return value.to_le_bytes()[..count as usize].to_vec();
    }
    (0..count as u32)
        .map(|byte| {
            (0..8).fold(0u8, |value, bit| {
                let at = byte * 8 + bit;
                value | u8::from(at < word.width() && word.bit(at)) << bit
            })
        })
        .collect()
}
