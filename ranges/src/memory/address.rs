//! Addresses: objects of memory and offsets into them.

use crate::integers::Integers;
use nanoscope_program::ir::{FunctionId, GlobalId, Place};
use std::collections::BTreeMap;

/// An object of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectId {
    /// A global variable.
    Global(GlobalId),
    /// A function's code.
    Function(FunctionId),
    /// What an instruction of the function being run allocates, on the stack or the heap.
    Allocated {
        /// Whose code.
        function: FunctionId,
        /// The register that holds the address.
        register: u32,
        /// Whether it outlives the frame.
        heap: bool,
    },
    /// An object that the caller passed, by its canonical number.
    Given(u32),
    /// The vector of inputs.
    Inputs,
    /// The vector of outputs.
    Outputs,
}

/// Offsets into an object: from `lo` to `hi` in steps of `stride`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Offsets {
    /// The least.
    pub lo: i64,
    /// The greatest.
    pub hi: i64,
    /// The step; 0 when there is just one offset.
    pub stride: u64,
}

impl Offsets {
    /// One offset.
    pub const fn at(offset: i64) -> Offsets {
        Offsets { lo: offset, hi: offset, stride: 0 }
    }

    /// Any offset.
    pub const ANY: Offsets = Offsets { lo: i64::MIN / 4, hi: i64::MAX / 4, stride: 1 };

    /// From `lo` to `hi`, or any offset if these are out of range.
    pub fn limited(lo: i128, hi: i128, stride: u64) -> Offsets {
        if lo < i128::from(Offsets::ANY.lo) || hi > i128::from(Offsets::ANY.hi) {
            return Offsets::ANY;
        }
        Offsets { lo: lo as i64, hi: hi as i64, stride }
    }

    /// Moved by offsets.
    pub fn plus(self, other: Offsets) -> Offsets {
        let stride = gcd(self.stride, other.stride);
        let (lo, hi) = (i128::from(self.lo), i128::from(self.hi));
        Offsets::limited(lo + i128::from(other.lo), hi + i128::from(other.hi), stride)
    }

    /// An index times a number of bytes.
    pub fn scaled(index: &Integers, bytes: i64) -> Offsets {
        let (lo, hi) = index.signed();
        let ends = [lo, hi].map(|end| end.saturating_mul(i128::from(bytes)));
        let stride = if lo == hi { 0 } else { bytes.unsigned_abs() };
        Offsets::limited(ends[0].min(ends[1]), ends[0].max(ends[1]), stride)
    }

    /// Whether some bytes at one of the offsets overlap others.
    pub fn overlap(self, bytes: u64, at: u64, others: u64) -> bool {
        let (at, bytes) = (i128::from(at), i128::from(bytes));
        let (lo, hi) = (i128::from(self.lo), i128::from(self.hi));
        // The least of the offsets that end behind the start of the others.
        let stride = i128::from(self.stride.max(1));
        let missing = (at - bytes + 1 - lo).max(0);
        let first = lo + (missing + stride - 1) / stride * stride;
        first <= hi && first < at + i128::from(others)
    }

    /// The join.
    pub fn join(self, other: Offsets) -> Offsets {
        let apart = self.lo.abs_diff(other.lo);
        let stride = gcd(gcd(self.stride, other.stride), apart);
        Offsets { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), stride }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A set of addresses.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pointers {
    /// The objects that they may point into, with the offsets there.
    pub targets: BTreeMap<ObjectId, Offsets>,
    /// Whether null is one of them.
    pub null: bool,
    /// Whether any address is.
    pub anywhere: bool,
}

impl Pointers {
    /// Any address.
    pub fn anywhere() -> Pointers {
        Pointers { null: true, anywhere: true, ..Pointers::default() }
    }

    /// The start of an object.
    pub fn to(object: ObjectId) -> Pointers {
        Pointers { targets: [(object, Offsets::at(0))].into(), ..Pointers::default() }
    }

    /// No object.
    pub fn null() -> Pointers {
        Pointers { null: true, ..Pointers::default() }
    }

    /// The join.
    pub fn join(&self, other: &Pointers) -> Pointers {
        let mut joined = self.clone();
        joined.null |= other.null;
        joined.anywhere |= other.anywhere;
        for (&object, &offsets) in &other.targets {
            let entry = joined.targets.entry(object).or_insert(offsets);
            *entry = entry.join(offsets);
        }
        joined
    }

    /// The widening by the next addresses: an end that moved goes far away.
    pub fn widen(&self, next: &Pointers) -> Pointers {
        let mut wide = self.join(next);
        for (object, offsets) in &mut wide.targets {
            let Some(old) = self.targets.get(object).filter(|old| *old != offsets) else {
                continue;
            };
            // Far below in whole steps: the offsets keep their phase.
            let far = i64::try_from(offsets.stride).unwrap_or(i64::MAX).saturating_mul(1 << 40);
            let lo = if offsets.lo < old.lo {
                i128::from(offsets.lo) - i128::from(far)
            } else {
                offsets.lo.into()
            };
            let hi = if offsets.hi > old.hi { Offsets::ANY.hi } else { offsets.hi };
            *offsets = Offsets::limited(lo, hi.into(), offsets.stride);
        }
        wide
    }

    /// Moved by offsets.
    pub fn moved(&self, by: Offsets) -> Pointers {
        let targets = self.targets.iter().map(|(&o, &offsets)| (o, offsets.plus(by))).collect();
        // An address made from a number is not tracked.
        let nowhere = self.null && by != Offsets::at(0);
        Pointers { targets, null: self.null, anywhere: self.anywhere || nowhere }
    }
}

/// The object of a constant address.
pub fn object_of(place: Place) -> Option<ObjectId> {
    match place {
        Place::Nowhere => None,
        Place::Global(id) => Some(ObjectId::Global(id)),
        Place::Function(id) => Some(ObjectId::Function(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against every offset by itself.
    #[test]
    fn bytes_overlap_where_one_of_the_offsets_does() {
        let (mut apart, mut overlapping) = (0, 0);
        for (lo, steps, stride) in (-9..9).flat_map(|lo| {
            (0..4i64).flat_map(move |steps| (1..=8u64).map(move |stride| (lo, steps, stride)))
        }) {
            let offsets = match steps {
                0 => Offsets::at(lo),
                _ => Offsets { lo, hi: lo + steps * stride as i64, stride },
            };
            for (bytes, at, others) in (1..=4u64)
                .flat_map(|bytes| (0..12u64).map(move |at| (bytes, at)))
                .flat_map(|(bytes, at)| (1..=4u64).map(move |others| (bytes, at, others)))
            {
                let each = (0..=steps).map(|step| lo + step * stride as i64);
                let touches =
                    |start: i64| start < (at + others) as i64 && (at as i64) < start + bytes as i64;
                let expected = each.into_iter().any(touches);
                assert_eq!(offsets.overlap(bytes, at, others), expected, "{offsets:?}, {at}");
                *if expected { &mut overlapping } else { &mut apart } += 1;
            }
        }
        assert!(apart > 1000 && overlapping > 1000, "{apart}, {overlapping}");
    }
}
