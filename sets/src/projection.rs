//! The table of projections: every operation of IEEE 754 as an equation between sets.

use crate::bits::Bits;
use crate::grid::Grid;
use crate::interval::Interval;
use crate::modes::Modes;
use crate::operation::extremum::{Extremum, NanChoice};
use crate::operation::remainder::{self, Quotient};
use crate::operation::{add, convert, div, encoding, fma, from_integer, mul, round_to_integral};
use crate::operation::{classify::Classes, compare, compare::Relation};
use crate::operation::{sign, sqrt, step, sub, to_integer};
use crate::project::{Left, Narrowed};
use crate::set::Set;
use crate::truths::Truths;
use nanoscope_ieee::{Datum, Domain, Format, OutOfRange};
use std::cell::Cell;

/// The widest integers that conversions are projected for.
const WIDEST_INTEGER: u32 = 120;

/// A set of any sort.
pub type SetDatum<S, B> = Datum<S, Modes, B, Truths>;

/// The operands of a projection: sets that it narrows in place.
pub type Operand<S, B> = Datum<Cell<S>, Cell<Modes>, Cell<B>, Cell<Truths>>;

/// Equations: an operation narrows its operands in place, and gives what is left of the result
/// and whether there is a solution at all.
///
/// Formats without a [`Grid`] and wide integers are left as they are.
#[derive(Clone, Copy, Debug)]
pub struct Projection<S, B> {
    /// What the result is known to be.
    pub result: SetDatum<S, B>,
    /// Whether the last two operands are one and the same value.
    pub same: bool,
}

impl<S: Set, B: Bits> Projection<S, B> {
    fn float(&self) -> S {
        match self.result {
            Datum::Float(set) => set,
            Datum::Rounding(_) | Datum::Bits(_) | Datum::Bool(_) => unreachable!("a float"),
        }
    }

    fn bits(&self) -> B {
        match self.result {
            Datum::Bits(set) => set,
            Datum::Rounding(_) | Datum::Float(_) | Datum::Bool(_) => unreachable!("an integer"),
        }
    }

    fn truths(&self) -> Truths {
        match self.result {
            Datum::Bool(truths) => truths,
            Datum::Rounding(_) | Datum::Bits(_) | Datum::Float(_) => unreachable!("a truth value"),
        }
    }

    /// An operation that does not round.
    fn exact<const N: usize>(
        &self,
        format: Format,
        operands: [&Cell<S>; N],
        project: impl FnOnce(Grid, [S; N], S) -> Option<Narrowed<S, N>>,
    ) -> (Cell<S>, bool) {
        let given = self.float();
        let Some(grid) = Grid::new(format) else { return (Cell::new(given), true) };
        match project(grid, operands.map(Cell::get), given) {
            Some(narrowed) => {
                for (operand, left) in operands.into_iter().zip(narrowed.arguments) {
                    operand.set(left);
                }
                (Cell::new(narrowed.result), true)
            }
            None => (Cell::new(given), false),
        }
    }

    /// An operation that rounds.
    fn rounded<const N: usize>(
        &self,
        format: Format,
        modes: &Cell<Modes>,
        operands: [&Cell<S>; N],
        project: impl FnOnce(Grid, Modes, [S; N], S) -> Left<S, N>,
    ) -> (Cell<S>, bool) {
        self.exact(format, operands, |grid, sets, result| {
            let (left, narrowed) = project(grid, modes.get(), sets, result)?;
            modes.set(left);
            Some(narrowed)
        })
    }

    /// A question with a truth value.
    fn question<const N: usize>(
        &self,
        format: Format,
        operands: [&Cell<S>; N],
        decide: impl FnOnce(Grid, Truths, [S; N]) -> Option<(Truths, [S; N])>,
    ) -> (Cell<Truths>, bool) {
        let given = self.truths();
        let Some(grid) = Grid::new(format) else { return (Cell::new(given), true) };
        match decide(grid, given, operands.map(Cell::get)) {
            Some((truths, left)) => {
                for (operand, left) in operands.into_iter().zip(left) {
                    operand.set(left);
                }
                (Cell::new(truths), true)
            }
            None => (Cell::new(given), false),
        }
    }

    fn related(
        &self,
        format: Format,
        relation: Relation,
        a: &Cell<S>,
        b: &Cell<S>,
    ) -> (Cell<Truths>, bool) {
        if self.same {
            let answer = self
                .question(format, [a], |grid, truths, [x]| relation.decide_same(grid, truths, x));
            b.set(a.get());
            return answer;
        }
        self.question(format, [a, b], |grid, truths, x| relation.decide(grid, truths, x))
    }

    fn integer_to_float(
        &self,
        format: Format,
        modes: &Cell<Modes>,
        bits: &Cell<B>,
        values: Interval,
        within: impl FnOnce(B, Interval) -> B,
    ) -> (Cell<S>, bool) {
        let given = self.float();
        let Some(grid) = Grid::new(format) else { return (Cell::new(given), true) };
        let Some((left, narrowed)) = from_integer::narrow(grid, modes.get(), values, given) else {
            return (Cell::new(given), false);
        };
        modes.set(left);
        bits.set(within(bits.get(), narrowed.arguments[0]));
        (Cell::new(narrowed.result), !bits.get().is_empty())
    }

    fn float_to_integer(
        &self,
        format: Format,
        modes: &Cell<Modes>,
        x: &Cell<S>,
        (range, values): (Interval, Interval),
        within: impl FnOnce(B, Interval) -> B,
    ) -> (Cell<B>, bool) {
        let given = self.bits();
        let Some(grid) = Grid::new(format) else { return (Cell::new(given), true) };
        let Some((left, narrowed)) = to_integer::narrow(grid, modes.get(), range, x.get(), values)
        else {
            return (Cell::new(given), false);
        };
        modes.set(left);
        x.set(narrowed.arguments[0]);
        let kept = within(given, narrowed.result);
        (Cell::new(kept), !kept.is_empty())
    }
}

/// The unsigned values as an interval; the width is at most 126.
fn unsigned(bits: &impl Bits) -> Interval {
    if bits.is_empty() {
        return Interval::EMPTY;
    }
    let (lo, hi) = bits.unsigned();
    Interval::new(lo as i128, hi as i128)
}

/// Those whose unsigned value lies within.
fn within_unsigned<B: Bits>(bits: B, values: Interval) -> B {
    if values.is_empty() {
        return bits.within(1, 0);
    }
    bits.within(values.lo.max(0) as u128, values.hi.max(0) as u128)
}

/// Rounded operations on two operands that may be one.
macro_rules! arithmetic {
    ($($method:ident)*) => { $(
        fn $method(
            &mut self,
            format: Format,
            modes: &Cell<Modes>,
            a: &Cell<S>,
            b: &Cell<S>,
        ) -> (Cell<S>, bool) {
            if !self.same {
                return self.rounded(format, modes, [a, b], $method::narrow);
            }
            let answer = self.rounded(format, modes, [a], $method::narrow_same);
            b.set(a.get());
            answer
        }
    )* };
}

/// Operations on one operand and a rounding mode.
macro_rules! rounded {
    ($($method:ident $module:ident;)*) => { $(
        fn $method(&mut self, format: Format, modes: &Cell<Modes>, a: &Cell<S>) -> (Cell<S>, bool) {
            self.rounded(format, modes, [a], $module::narrow)
        }
    )* };
}

/// Operations on one operand.
macro_rules! unary {
    ($($method:ident $project:expr;)*) => { $(
        fn $method(&mut self, format: Format, a: &Cell<S>) -> (Cell<S>, bool) {
            self.exact(format, [a], $project)
        }
    )* };
}

/// Operations on two operands.
macro_rules! binary {
    ($($method:ident $project:expr;)*) => { $(
        fn $method(&mut self, format: Format, a: &Cell<S>, b: &Cell<S>) -> (Cell<S>, bool) {
            self.exact(format, [a, b], $project)
        }
    )* };
}

macro_rules! relations {
    ($($method:ident $relation:expr;)*) => { $(
        fn $method(&mut self, format: Format, a: &Cell<S>, b: &Cell<S>) -> (Cell<Truths>, bool) {
            self.related(format, $relation, a, b)
        }
    )* };
}

macro_rules! classes {
    ($($method:ident $classes:expr;)*) => { $(
        fn $method(&mut self, format: Format, a: &Cell<S>) -> (Cell<Truths>, bool) {
            self.question(format, [a], |grid, truths, x| {
                compare::decide(truths, |value| $classes.narrow(grid, x, value))
            })
        }
    )* };
}

const fn extremum(greater: bool, choice: NanChoice) -> Extremum {
    Extremum { greater, choice }
}

impl<S: Set, B: Bits> Domain for Projection<S, B> {
    type Float = Cell<S>;
    type Rounding = Cell<Modes>;
    type Bits = Cell<B>;
    type Bool = Cell<Truths>;
    /// Whether there is a solution.
    type Flags = bool;

    arithmetic! { add sub mul div }

    fn fma(
        &mut self,
        format: Format,
        modes: &Cell<Modes>,
        a: &Cell<S>,
        b: &Cell<S>,
        c: &Cell<S>,
    ) -> (Cell<S>, bool) {
        self.rounded(format, modes, [a, b, c], fma::narrow)
    }

    rounded! {
        sqrt sqrt;
        round_to_integral round_to_integral;
        round_to_integral_exact round_to_integral;
    }

    binary! {
        remainder |grid, x, z| remainder::narrow(grid, Quotient::Nearest, x, z);
        fmod |grid, x, z| remainder::narrow(grid, Quotient::Truncated, x, z);
        min_num |grid, x, z| extremum(false, NanChoice::Other).narrow(grid, x, z);
        max_num |grid, x, z| extremum(true, NanChoice::Other).narrow(grid, x, z);
        minimum |grid, x, z| extremum(false, NanChoice::Nan).narrow(grid, x, z);
        maximum |grid, x, z| extremum(true, NanChoice::Nan).narrow(grid, x, z);
        min_x86 |grid, x, z| extremum(false, NanChoice::Second).narrow(grid, x, z);
        max_x86 |grid, x, z| extremum(true, NanChoice::Second).narrow(grid, x, z);
        copy_sign sign::narrow_copy_sign;
    }

    unary! {
        abs sign::narrow_abs;
        neg |_, x, z| sign::narrow_neg(x, z);
        next_up step::narrow_up;
        next_down step::narrow_down;
    }

    fn identical(&mut self, format: Format, a: &Cell<S>, b: &Cell<S>) -> (Cell<Truths>, bool) {
        if self.same && S::ONE_NAN {
            let truths = self.truths().meet(Truths::only(true));
            return (Cell::new(truths), !truths.is_empty());
        }
        self.question(format, [a, b], |grid, truths, x| {
            compare::decide(truths, |value| compare::identical(grid, x, value))
        })
    }

    relations! {
        equal Relation::EQUAL;
        less Relation::LESS;
        less_equal Relation::LESS_EQUAL;
        greater Relation::GREATER;
        greater_equal Relation::GREATER_EQUAL;
        unordered Relation::UNORDERED;
        equal_signaling Relation::EQUAL;
        less_signaling Relation::LESS;
        less_equal_signaling Relation::LESS_EQUAL;
        greater_signaling Relation::GREATER;
        greater_equal_signaling Relation::GREATER_EQUAL;
    }

    classes! {
        is_nan Classes::NAN;
        is_signaling Classes::SIGNALING;
        is_infinite Classes::INFINITE;
        is_finite Classes::FINITE;
        is_zero Classes::ZERO;
        is_subnormal Classes::SUBNORMAL;
        is_normal Classes::NORMAL;
        is_negative Classes::NEGATIVE;
        is_positive Classes::POSITIVE;
        // The one NaN has a clear sign bit; others may have either.
        is_sign_minus Classes::sign_minus::<S>();
    }

    fn convert(
        &mut self,
        format: Format,
        target: Format,
        modes: &Cell<Modes>,
        a: &Cell<S>,
    ) -> (Cell<S>, bool) {
        let given = self.float();
        let (Some(from), Some(_)) = (Grid::new(format), Grid::new(target)) else {
            return (Cell::new(given), true);
        };
        self.rounded(target, modes, [a], |to, modes, x, z| convert::narrow(from, to, modes, x, z))
    }

    fn from_signed(
        &mut self,
        format: Format,
        width: u32,
        modes: &Cell<Modes>,
        a: &Cell<B>,
    ) -> (Cell<S>, bool) {
        if width > WIDEST_INTEGER {
            return (Cell::new(self.float()), true);
        }
        self.integer_to_float(format, modes, a, a.get().signed(), B::within_signed)
    }

    fn from_unsigned(
        &mut self,
        format: Format,
        width: u32,
        modes: &Cell<Modes>,
        a: &Cell<B>,
    ) -> (Cell<S>, bool) {
        if width > WIDEST_INTEGER {
            return (Cell::new(self.float()), true);
        }
        self.integer_to_float(format, modes, a, unsigned(&a.get()), within_unsigned)
    }

    fn to_signed(
        &mut self,
        format: Format,
        width: u32,
        _: OutOfRange,
        modes: &Cell<Modes>,
        a: &Cell<S>,
    ) -> (Cell<B>, bool) {
        let given = self.bits();
        if width > WIDEST_INTEGER {
            return (Cell::new(given), true);
        }
        let half = 1i128 << (width - 1);
        let sets = (Interval::new(-half, half - 1), given.signed());
        self.float_to_integer(format, modes, a, sets, B::within_signed)
    }

    fn to_unsigned(
        &mut self,
        format: Format,
        width: u32,
        _: OutOfRange,
        modes: &Cell<Modes>,
        a: &Cell<S>,
    ) -> (Cell<B>, bool) {
        let given = self.bits();
        if width > WIDEST_INTEGER {
            return (Cell::new(given), true);
        }
        let sets = (Interval::new(0, (1i128 << width) - 1), unsigned(&given));
        self.float_to_integer(format, modes, a, sets, within_unsigned)
    }

    fn from_bits(&mut self, format: Format, a: &Cell<B>) -> (Cell<S>, bool) {
        let given = self.float();
        let Some(grid) = encoded(format) else { return (Cell::new(given), true) };
        match encoding::narrow(grid, a.get(), given, false) {
            Some((bits, floats)) => {
                a.set(bits);
                (Cell::new(floats), true)
            }
            None => (Cell::new(given), false),
        }
    }

    fn to_bits(&mut self, format: Format, a: &Cell<S>) -> (Cell<B>, bool) {
        let given = self.bits();
        let Some(grid) = encoded(format) else { return (Cell::new(given), true) };
        match encoding::narrow(grid, given, a.get(), true) {
            Some((bits, floats)) => {
                a.set(floats);
                (Cell::new(bits), true)
            }
            None => (Cell::new(given), false),
        }
    }
}

/// The line of a format whose encodings are in its order.
fn encoded(format: Format) -> Option<Grid> {
    Grid::new(format).filter(|_| !format.explicit_integer_bit)
}
