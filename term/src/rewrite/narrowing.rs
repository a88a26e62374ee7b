//! Operations in a wide format whose result goes to a narrow one, on operands that came from it:
//! `float` computed as `double`. Where rounding twice is rounding once, the narrow operation is meant.
//!
//! - A directed mode, the same twice: whatever is between two narrow numbers stays there.
//! - To nearest, both times: with `2p + 2` digits a result that is no midpoint of narrow numbers does
//!   not become one (Figueroa, When is double rounding innocuous?, 1995), if the wide format's
//!   exponents leave no result to underflow or overflow. That is so of subnormal narrow results too:
//!   sums are exact there, products everywhere, and a quotient is as far from midpoints as ever.

use super::float::{mode, negated, value_in, widened};
use super::{Rule, float_head};
use crate::{Op, Term, Terms};
use nanoscope_ieee::{Format, Operation, Rounding};

/// Whether results are rounded once where they are rounded to nearest in both formats.
fn is_innocuous(wide: Format, narrow: Format) -> bool {
    let (quantum, most) = (narrow.quantum_exponent(), narrow.max_exponent());
    wide.precision >= 2 * narrow.precision + 2
        && wide.min_exponent() <= (2 * quantum).min(quantum - most - 1)
        && wide.max_exponent() >= (2 * most + 2).max(most - quantum + 1)
}

/// The operand in the narrow format, if it is exactly there.
fn operand(terms: &mut Terms, term: Term, narrow: Format) -> Option<Term> {
    if let Some(inner) = negated(terms, term) {
        let inner = operand(terms, inner, narrow)?;
        return Some(terms.fp(Operation::Neg, &[inner]));
    }
    match widened(terms, term) {
        Some(inner) if terms.format(inner) == narrow => Some(inner),
        Some(inner) if narrow.holds(terms.format(inner)) => {
            let rounding = terms.args(term)[0];
            Some(terms.convert(narrow, rounding, inner))
        }
        Some(_) => None,
        None => value_in(terms, term, narrow),
    }
}

pub(super) const RULES: &[Rule] = &[Rule {
    name: "operation computed wide",
    equation: "to_fp m (widen x op widen y) = x op y where rounding twice is rounding once",
    left: &[
        "((_ to_fp 2 3) RNE (fp.add RNE ((_ to_fp 6 12) m x) ((_ to_fp 6 12) n y)))",
        "((_ to_fp 2 3) RNA (fp.sub RNE ((_ to_fp 6 12) m x) ((_ to_fp 6 12) n y)))",
        "((_ to_fp 2 3) RNE (fp.mul RNA ((_ to_fp 6 12) m x) (fp.neg ((_ to_fp 6 12) n y))))",
        "((_ to_fp 2 3) m (fp.div m ((_ to_fp 6 12) m x) ((_ to_fp 6 12) n y)))",
        "((_ to_fp 2 3) RNE (fp.sqrt RNE ((_ to_fp 6 12) m x)))",
        "((_ to_fp 2 3) RTP (fp.add RTP ((_ to_fp 3 4) m x) ((_ to_fp 3 4) n y)))",
        "((_ to_fp 2 3) RTZ (fp.div RTZ ((_ to_fp 3 4) m x) ((_ to_fp 3 4) n y)))",
        "((_ to_fp 2 3) RTN (fp.fma RTN ((_ to_fp 3 4) m x) ((_ to_fp 3 4) n y) ((_ to_fp 3 4) m x)))",
    ],
    heads: &[float_head(Operation::Convert)],
    apply: |t, op, args| {
        let Op::Float(_, parameters) = op else { return None };
        let Op::Float(operation, _) = t.op(args[1]) else { return None };
        let rational =
            [Operation::Add, Operation::Sub, Operation::Mul, Operation::Div, Operation::Sqrt];
        let (narrow, wide) = (parameters.target, t.format(args[1]));
        if !(wide.holds(narrow) && wide != narrow)
            || !(rational.contains(&operation) || operation == Operation::Fma)
        {
            return None;
        }
        let inner = t.args(args[1]).to_vec();
        let nearest =
            |mode: Rounding| matches!(mode, Rounding::NearestEven | Rounding::NearestAway);
        let modes = (mode(t, args[0]), mode(t, inner[0]));
        let once = match modes {
            (Some(outer), Some(first)) if nearest(outer) && nearest(first) => {
                operation != Operation::Fma && is_innocuous(wide, narrow)
            }
            (Some(outer), Some(first)) => outer == first && !nearest(outer),
            _ => args[0] == inner[0] && operation != Operation::Fma && is_innocuous(wide, narrow),
        };
        if !once {
            return None;
        }
        let mut operands = vec![args[0]];
        for term in &inner[1..] {
            operands.push(operand(t, *term, narrow)?);
        }
        Some(t.fp(operation, &operands))
    },
}];
