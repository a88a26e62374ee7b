//! Sorts: what kind of thing a term stands for.

use nanoscope_ieee::Format;

/// The sort of a term. Engines meet the first four only; arrays live at the
/// SMT-LIB door and are eliminated there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// A string of that many bits, at least one.
    Bits(u32),
    /// A float. The format stores no integer bit, and there is one NaN.
    Float(Format),
    /// A rounding mode.
    Rounding,
    /// An array; [`Terms::array`](crate::Terms::array) tells of what.
    Array(ArraySort),
}

/// The name of an array sort within its [`Terms`](crate::Terms).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArraySort(pub(crate) u32);

impl Sort {
    /// How many values the sort has, if that is at most 2^64 - 1. Floats have one NaN.
    pub fn size(self) -> Option<u64> {
        match self {
            Sort::Bool => Some(2),
            Sort::Rounding => Some(5),
            Sort::Bits(width) => 1u64.checked_shl(width),
            Sort::Float(format) => {
                let encodings = 1u64.checked_shl(format.width())?;
                let nans = 2 * ((1u64 << format.fraction_bits()) - 1);
                Some(encodings - nans + 1)
            }
            Sort::Array(_) => None,
        }
    }
}
