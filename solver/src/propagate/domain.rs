//! What is known of a term of any sort.

use nanoscope_ieee::Word;
use nanoscope_sets::{BitsBox, FloatBox, Grid, Modes, Truths};
use nanoscope_term::{Sort, Value};

/// The values that a term may still have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Truth values.
    Bool(Truths),
    /// Floats of a grid.
    Float(Grid, FloatBox),
    /// Bit strings.
    Bits(BitsBox),
    /// Rounding modes.
    Rounding(Modes),
    /// A sort of which nothing is tracked: wide floats and bit strings, arrays.
    Untracked,
}

impl Domain {
    /// Every value of a sort.
    pub fn of_sort(sort: Sort) -> Domain {
        match sort {
            Sort::Bool => Domain::Bool(Truths::BOTH),
            Sort::Rounding => Domain::Rounding(Modes::ALL),
            Sort::Bits(width) => BitsBox::any(width).map_or(Domain::Untracked, Domain::Bits),
            Sort::Float(format) => match Grid::new(format) {
                Some(grid) => Domain::Float(grid, grid.everything()),
                None => Domain::Untracked,
            },
            Sort::Array(_) => Domain::Untracked,
        }
    }

    /// Just one value.
    pub fn of_value(value: &Value) -> Domain {
        match value {
            Value::Bool(value) => Domain::Bool(Truths::only(*value)),
            Value::Rounding(mode) => Domain::Rounding(Modes::only(*mode)),
            Value::Bits(word) => match word.to_u128() {
                Some(bits) if word.width() <= 128 => {
                    Domain::Bits(BitsBox::point(word.width(), bits))
                }
                Some(_) | None => Domain::Untracked,
            },
            Value::Float(format, word) => match (Grid::new(*format), word.to_u128()) {
                (Some(grid), Some(bits)) => {
                    let float = grid.decode(bits).map_or(FloatBox::NAN, FloatBox::point);
                    Domain::Float(grid, float)
                }
                _ => Domain::Untracked,
            },
            Value::Array(_) => Domain::Untracked,
        }
    }

    /// The only value left, if there is just one.
    pub fn value(self) -> Option<Value> {
        match self {
            Domain::Bool(truths) => truths.known().map(Value::Bool),
            Domain::Float(grid, floats) => floats.is_single().then(|| float(grid, floats)),
            Domain::Bits(bits) => bits.known().map(|value| Value::bits(bits.width, value)),
            Domain::Rounding(modes) => {
                modes.iter().next().filter(|_| modes.is_single()).map(Value::Rounding)
            }
            Domain::Untracked => None,
        }
    }

    /// Whether no value is left.
    pub fn is_empty(self) -> bool {
        match self {
            Domain::Bool(truths) => truths.is_empty(),
            Domain::Float(_, floats) => floats.is_empty(),
            Domain::Bits(bits) => bits.is_empty(),
            Domain::Rounding(modes) => modes.is_empty(),
            Domain::Untracked => false,
        }
    }

    /// Whether just one value is left.
    pub fn is_single(self) -> bool {
        match self {
            Domain::Bool(truths) => truths.known().is_some(),
            Domain::Float(_, floats) => floats.is_single(),
            Domain::Bits(bits) => bits.known().is_some(),
            Domain::Rounding(modes) => modes.is_single(),
            Domain::Untracked => false,
        }
    }

    /// How many values are left, at most; `u128::MAX` where that is not known.
    pub fn count(self) -> u128 {
        match self {
            Domain::Bool(truths) => truths.may_hold as u128 + truths.may_fail as u128,
            Domain::Float(_, floats) => floats.numbers.count().saturating_add(floats.nan as u128),
            Domain::Bits(bits) if bits.is_empty() => 0,
            Domain::Bits(bits) => (bits.hi - bits.lo).saturating_add(1),
            Domain::Rounding(modes) => modes.iter().count() as u128,
            Domain::Untracked => u128::MAX,
        }
    }

    /// What both hold. They are of one sort.
    pub fn meet(self, other: Domain) -> Domain {
        match (self, other) {
            (Domain::Bool(a), Domain::Bool(b)) => Domain::Bool(a.meet(b)),
            (Domain::Float(grid, a), Domain::Float(_, b)) => Domain::Float(grid, a.meet(b)),
            (Domain::Bits(a), Domain::Bits(b)) => Domain::Bits(a.meet(b)),
            (Domain::Rounding(a), Domain::Rounding(b)) => Domain::Rounding(a.meet(b)),
            (Domain::Untracked, Domain::Untracked) => Domain::Untracked,
            (a, b) => unreachable!("{a:?} and {b:?} are of different sorts"),
        }
    }

    /// A domain that holds both. They are of one sort.
    pub fn join(self, other: Domain) -> Domain {
        match (self, other) {
            (Domain::Bool(a), Domain::Bool(b)) => Domain::Bool(Truths {
                may_hold: a.may_hold || b.may_hold,
                may_fail: a.may_fail || b.may_fail,
            }),
            (Domain::Float(grid, a), Domain::Float(_, b)) => Domain::Float(grid, a.join(b)),
            (Domain::Bits(a), Domain::Bits(b)) => Domain::Bits(a.join(b)),
            (Domain::Rounding(a), Domain::Rounding(b)) => Domain::Rounding(a.join(b)),
            (Domain::Untracked, Domain::Untracked) => Domain::Untracked,
            (a, b) => unreachable!("{a:?} and {b:?} are of different sorts"),
        }
    }
}

/// A float of the box: its least number, or NaN if it has no number.
pub fn float(grid: Grid, floats: FloatBox) -> Value {
    let bits = if floats.numbers.is_empty() { grid.nan() } else { grid.encode(floats.numbers.lo) };
    Value::float(grid.format(), Word::new(grid.format().width(), bits))
}
