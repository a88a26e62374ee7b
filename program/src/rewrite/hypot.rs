//! `sqrt(a * a + b * b)` as `hypot(a, b)`: no square leaves the range.

use super::formula::{Formula, call, root_of_square, squares, value};
use super::{Edit, Reduction, argument_of, one};
use crate::llvm::Value;

/// Roots of sums that are written out.
pub(super) fn straight(root: Value) -> Vec<Vec<Edit>> {
    let bases = argument_of(root, "sqrt").and_then(squares).unwrap_or_default();
    let formula = bases.into_iter().map(value).reduce(|a, b| call("hypot", [a, b]));
    one(root, formula)
}

/// Roots of sums that a loop makes: the loop keeps the root.
pub(super) fn in_a_loop(root: Value) -> Vec<Vec<Edit>> {
    let edits = || {
        let sum = argument_of(root, "sqrt")?;
        let Reduction { sum: norm, step, added } = Reduction::of(sum, root)?;
        let bases = match root_of_square(added) {
            Some((false, base)) => vec![base],
            Some((true, _)) => return None,
            None => squares(added)?,
        };
        let first = value(norm);
        let longer =
            bases.into_iter().map(value).fold(first, |norm, base| call("hypot", [norm, base]));
        // The root first: what it is replaced by is replaced in its turn.
        Some(vec![(root, Formula::Value(sum)), (step, longer)])
    };
    edits().into_iter().collect()
}
