//! Minima and maxima beside what they are of. Of one NaN and a number they are the number, so that
//! zeros, of which either may come, are all that is left open, and no order tells zeros apart.

use super::{Rule, float_head};
use crate::{Op, Term, Terms, Unspecified};
use nanoscope_ieee::Operation;

/// The operands of a minimum, or of a maximum, that passes over a NaN.
fn extreme(terms: &Terms, term: Term, least: bool) -> Option<[Term; 2]> {
    let op = terms.op(term);
    let fits = if least {
        matches!(op, Op::Unspecified(Unspecified::Min(_)) | Op::Float(Operation::MinNum, _))
    } else {
        matches!(op, Op::Unspecified(Unspecified::Max(_)) | Op::Float(Operation::MaxNum, _))
    };
    fits.then(|| [terms.args(term)[0], terms.args(term)[1]])
}

/// Whether these are a pair, in any order.
fn same(a: [Term; 2], b: [Term; 2]) -> bool {
    a == b || a == [b[1], b[0]]
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "minimum below maximum",
        equation: "min x y <= max x y = not (isNaN x and isNaN y), max x y < min x y is false",
        left: &[
            "(fp.leq (fp.min x y) (fp.max x y))",
            "(fp.leq (ieee.min_num x y) (ieee.max_num y x))",
            "(fp.lt (fp.max x y) (fp.min x y))",
        ],
        heads: &[float_head(Operation::LessEqual), float_head(Operation::Less)],
        apply: |t, op, args| {
            let strict = matches!(op, Op::Float(Operation::Less, _));
            let (low, high) = (extreme(t, args[0], !strict)?, extreme(t, args[1], strict)?);
            if !same(low, high) {
                return None;
            }
            if strict {
                return Some(t.bool(false));
            }
            let nans = low.map(|side| t.fp(Operation::IsNan, &[side]));
            let neither = t.and(&nans);
            Some(t.not(neither))
        },
    },
    Rule {
        name: "minimum and maximum beside an operand",
        equation: "min x y <= x = x <= max x y = not (isNaN x), x < min x y, max x y < x are false",
        left: &[
            "(fp.leq (fp.min x y) x)",
            "(fp.leq y (fp.max x y))",
            "(fp.leq (ieee.min_num y x) x)",
            "(fp.lt x (fp.min x y))",
            "(fp.lt (ieee.max_num x y) x)",
        ],
        heads: &[float_head(Operation::LessEqual), float_head(Operation::Less)],
        apply: |t, op, args| {
            let strict = matches!(op, Op::Float(Operation::Less, _));
            let [low, high] = [args[0], args[1]];
            let of = |t: &Terms, term, least, operand: Term| {
                extreme(t, term, least).is_some_and(|both| both.contains(&operand))
            };
            let operand = if of(t, low, !strict, high) {
                high
            } else if of(t, high, strict, low) {
                low
            } else {
                return None;
            };
            if strict {
                return Some(t.bool(false));
            }
            let nan = t.fp(Operation::IsNan, &[operand]);
            Some(t.not(nan))
        },
    },
];
