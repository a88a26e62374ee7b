//! Putting a projection together: the join of what its cases leave.
//!
//! The operands of an operation are cut into rectangles on which it is monotone
//! and rectangles on which it is NaN. Each is narrowed on its own; the set of
//! an operand is the join over all of them.

use super::monotone::{Monotone, Piece};
use crate::grid::Grid;
use crate::interval::Interval;
use crate::modes::Modes;
use crate::set::Set;
use nanoscope_ieee::Rounding;

/// What an operation leaves of the sets of its operands and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowed<S, const N: usize, Z = S> {
    /// The operands.
    pub arguments: [S; N],
    /// The result.
    pub result: Z,
}

/// What a rounded operation leaves of its modes and sets; `None` is a contradiction.
pub type Left<S, const N: usize, Z = S> = Option<(Modes, Narrowed<S, N, Z>)>;

impl<S: Set, Z: Set, const N: usize> Narrowed<S, N, Z> {
    /// The smallest sets that hold both.
    pub fn join(self, other: Narrowed<S, N, Z>) -> Narrowed<S, N, Z> {
        Narrowed {
            arguments: std::array::from_fn(|i| self.arguments[i].join(&other.arguments[i])),
            result: self.result.join(&other.result),
        }
    }

    /// The same of the negated numbers.
    pub fn negated(self) -> Narrowed<S, N, Z> {
        Narrowed {
            arguments: self.arguments.map(|set| set.negated()),
            result: self.result.negated(),
        }
    }
}

/// The cases seen so far of an operation on these sets.
pub(crate) struct Cases<S, const N: usize, Z = S> {
    /// The lines of the operands and of the result.
    grids: [Grid; 2],
    given: Narrowed<S, N, Z>,
    left: Option<Narrowed<S, N, Z>>,
}

impl<S: Set, const N: usize, Z: Set> Cases<S, N, Z> {
    /// Starts with the case that an operand is NaN and so is the result.
    pub fn new(grid: Grid, arguments: [S; N], result: Z) -> Cases<S, N, Z> {
        Cases::between([grid, grid], arguments, result)
    }

    /// The same with operands and result of different lines.
    pub fn between(grids: [Grid; 2], arguments: [S; N], result: Z) -> Cases<S, N, Z> {
        let mut cases = Cases { grids, given: Narrowed { arguments, result }, left: None };
        if result.has_nan() {
            for i in 0..N {
                if arguments[i].has_nan() {
                    let mut with_nan = arguments;
                    with_nan[i] = S::of_nan(grids[0]);
                    let result = Z::of_nan(grids[1]);
                    cases.add(Narrowed { arguments: with_nan, result });
                }
            }
        }
        cases
    }

    /// Starts with no case.
    pub fn none(grid: Grid, arguments: [S; N], result: Z) -> Cases<S, N, Z> {
        Cases { grids: [grid, grid], given: Narrowed { arguments, result }, left: None }
    }

    /// The hulls of the operands.
    pub fn numbers(&self) -> [Interval; N] {
        self.given.arguments.map(|argument| argument.hull())
    }

    /// Adds a case already narrowed; nothing if any set in it is empty.
    pub fn add(&mut self, case: Narrowed<S, N, Z>) {
        if case.result.is_empty() || case.arguments.iter().any(S::is_empty) {
            return;
        }
        self.left = Some(match self.left {
            Some(left) => left.join(case),
            None => case,
        });
    }

    /// Adds the case of these numbers.
    pub fn add_numbers(&mut self, arguments: [Interval; N], result: Interval) {
        if result.is_empty() || arguments.iter().any(|argument| argument.is_empty()) {
            return;
        }
        let result = Z::of_numbers(self.grids[1], result).kept_of(&self.given.result);
        let arguments = self.operands(arguments);
        self.add(Narrowed { arguments, result });
    }

    /// Adds the case of these numbers, operand `index` being this set.
    pub fn add_with(&mut self, index: usize, set: S, mut numbers: [Interval; N], result: Interval) {
        numbers[index] = self.given.arguments[index].hull();
        if result.is_empty() {
            return;
        }
        let mut arguments = self.operands(numbers);
        arguments[index] = set;
        let result = Z::of_numbers(self.grids[1], result).kept_of(&self.given.result);
        self.add(Narrowed { arguments, result });
    }

    /// The case that the operands are in a rectangle where the result is NaN.
    pub fn invalid(&mut self, rectangle: [Interval; N]) {
        if self.given.result.has_nan() && rectangle.iter().all(|side| !side.is_empty()) {
            let arguments = self.operands(rectangle);
            self.add(Narrowed { arguments, result: Z::of_nan(self.grids[1]) });
        }
    }

    /// The case that the operands are in a rectangle where the operation is
    /// monotone and never NaN.
    pub fn monotone(&mut self, f: &impl Monotone<N>, arguments: [Interval; N], falling: [bool; N]) {
        self.monotone_into(f, arguments, falling, self.given.result.hull());
    }

    /// The same for results within `z`.
    pub fn monotone_into(
        &mut self,
        f: &impl Monotone<N>,
        arguments: [Interval; N],
        falling: [bool; N],
        z: Interval,
    ) {
        if let Some((piece, z)) = (Piece { arguments, falling }).narrow(f, z) {
            self.add_numbers(piece.arguments, z);
        }
    }

    /// The join of the cases; `None` if there was none.
    pub fn finish(self) -> Option<Narrowed<S, N, Z>> {
        self.left
    }

    fn operands(&self, numbers: [Interval; N]) -> [S; N] {
        std::array::from_fn(|i| {
            S::of_numbers(self.grids[0], numbers[i]).kept_of(&self.given.arguments[i])
        })
    }
}

/// The join over the modes possible, and which of them are left.
pub fn over_modes<S: Set, const N: usize, Z: Set>(
    modes: Modes,
    mut project: impl FnMut(Rounding) -> Option<Narrowed<S, N, Z>>,
) -> Left<S, N, Z> {
    let mut left: Left<S, N, Z> = None;
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
