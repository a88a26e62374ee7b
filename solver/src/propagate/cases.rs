//! Putting a projection together: the hull of what its cases leave.
//!
//! The operands of an operation are cut into rectangles on which it is monotone
//! and rectangles on which it is NaN. Each is narrowed on its own; the box of
//! an operand is the hull over all of them.

use super::interval::{FloatBox, Interval, Modes};
use super::monotone::{Monotone, Piece};

/// What an operation leaves of the boxes of its operands and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowed<const N: usize> {
    /// The operands.
    pub arguments: [FloatBox; N],
    /// The result.
    pub result: FloatBox,
}

impl<const N: usize> Narrowed<N> {
    /// The smallest boxes that hold both.
    pub fn join(self, other: Narrowed<N>) -> Narrowed<N> {
        Narrowed {
            arguments: std::array::from_fn(|i| self.arguments[i].join(other.arguments[i])),
            result: self.result.join(other.result),
        }
    }
}

/// The cases seen so far of an operation with these boxes.
pub(super) struct Cases<const N: usize> {
    given: Narrowed<N>,
    left: Option<Narrowed<N>>,
}

impl<const N: usize> Cases<N> {
    /// Starts with the case that an operand is NaN and so is the result.
    pub fn new(arguments: [FloatBox; N], result: FloatBox) -> Cases<N> {
        let mut cases = Cases { given: Narrowed { arguments, result }, left: None };
        if result.nan {
            for i in 0..N {
                if arguments[i].nan {
                    let mut with_nan = arguments;
                    with_nan[i] = FloatBox::NAN;
                    cases.add(Narrowed { arguments: with_nan, result: FloatBox::NAN });
                }
            }
        }
        cases
    }

    /// Starts with no case.
    pub fn none(arguments: [FloatBox; N], result: FloatBox) -> Cases<N> {
        Cases { given: Narrowed { arguments, result }, left: None }
    }

    /// The numbers of the operands.
    pub fn numbers(&self) -> [Interval; N] {
        self.given.arguments.map(|argument| argument.numbers)
    }

    /// Adds a case already narrowed; nothing if any box in it is empty.
    pub fn add(&mut self, case: Narrowed<N>) {
        if case.result.is_empty() || case.arguments.iter().any(|argument| argument.is_empty()) {
            return;
        }
        self.left = Some(match self.left {
            Some(left) => left.join(case),
            None => case,
        });
    }

    /// The case that the operands are in a rectangle where the result is NaN.
    pub fn invalid(&mut self, rectangle: [Interval; N]) {
        if self.given.result.nan {
            let arguments = rectangle.map(|numbers| FloatBox { numbers, nan: false });
            self.add(Narrowed { arguments, result: FloatBox::NAN });
        }
    }

    /// The case that the operands are in a rectangle where the operation is
    /// monotone and never NaN.
    pub fn monotone(&mut self, f: &impl Monotone<N>, arguments: [Interval; N], falling: [bool; N]) {
        if let Some((piece, z)) =
            (Piece { arguments, falling }).narrow(f, self.given.result.numbers)
        {
            self.add(Narrowed {
                arguments: piece.arguments.map(|numbers| FloatBox { numbers, nan: false }),
                result: FloatBox { numbers: z, nan: false },
            });
        }
    }

    /// The hull of the cases; `None` if there was none.
    pub fn finish(self) -> Option<Narrowed<N>> {
        self.left
    }
}

/// The hull over the modes possible, and which of them are left.
pub(super) fn over_modes<const N: usize>(
    modes: Modes,
    mut project: impl FnMut(nanoscope_ieee::Rounding) -> Option<Narrowed<N>>,
) -> Option<(Modes, Narrowed<N>)> {
    let mut left: Option<(Modes, Narrowed<N>)> = None;
    for mode in modes.iter() {
        if let Some(narrowed) = project(mode) {
            let only = Modes::only(mode);
            left = Some(match left {
                Some((modes, hull)) => (modes.join(only), hull.join(narrowed)),
                None => (only, narrowed),
            });
        }
    }
    left
}
