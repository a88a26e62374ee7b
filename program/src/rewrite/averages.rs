//! Dividing before adding: no sum is larger than the largest term.

use super::formula::{Formula, binary, div, mul, sum, terms, value};
use super::{Edit, Reduction, is_available_everywhere, one};
use crate::llvm::{Opcode, Value};

/// A factor of at most this, or a divisor of at least its inverse, makes terms smaller.
const SMALL: f64 = 0.5;

/// What a sum is made smaller by.
enum Share {
    Divided(Value),
    Times(Value),
}

impl Share {
    fn of(&self, term: Formula, divisor: impl Fn(Value) -> Formula) -> Formula {
        match self {
            Share::Divided(by) => div(term, divisor(*by)),
            Share::Times(by) => mul(term, value(*by)),
        }
    }
}

/// The sum that an instruction gives a share of.
fn share(root: Value) -> Option<(Value, Share)> {
    if let Some((sum, by)) = binary(root, Opcode::LLVMFDiv) {
        let is_small = by.as_double().is_some_and(|by| by.abs() * SMALL < 1.0);
        return (!is_small).then_some((sum, Share::Divided(by)));
    }
    let (a, b) = binary(root, Opcode::LLVMFMul)?;
    let is_small = |value: &Value| value.as_double().is_some_and(|it| it.abs() <= SMALL);
    match (is_small(&a), is_small(&b)) {
        (_, true) => Some((a, Share::Times(b))),
        (true, false) => Some((b, Share::Times(a))),
        (false, false) => None,
    }
}

/// Sums that are written out: `(a + b) / 2` as `a / 2 + b / 2`.
pub(super) fn straight(root: Value) -> Vec<Vec<Edit>> {
    let formula = || {
        let (whole, share) = share(root)?;
        let terms = terms(whole);
        let shares = terms.iter().map(|(sign, term)| (*sign, share.of(value(*term), value)));
        if terms.len() > 1 { sum(shares) } else { None }
    };
    one(root, formula())
}

/// Sums that a loop makes: `sum / n` as a sum of `x[i] / n`.
pub(super) fn in_a_loop(root: Value) -> Vec<Vec<Edit>> {
    let edits = || {
        let (whole, share) = share(root)?;
        let Share::Divided(by) = share else { return None };
        if !is_available_everywhere(by) {
            return None;
        }
        let Reduction { sum, step, added } = Reduction::of(whole, root)?;
        let part = share.of(value(added), |by| match by.is_constant() {
            true => value(by),
            false => Formula::Again(by),
        });
        let longer = super::formula::add(value(sum), part);
        Some(vec![(root, Formula::Value(whole)), (step, longer)])
    };
    edits().into_iter().collect()
}
