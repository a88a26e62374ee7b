//! Where to split a box in two.

use crate::propagate::{Domain, FloatBox, Interval, Modes, Network, Truths};
use nanoscope_term::{Op, Term, VariableId};

/// A term and the two parts of its domain; `None` when every variable that is
/// tracked has one value.
///
/// Splitting variables alone reaches every point, but an open condition that
/// decides between branches is worth more: it makes whole constraints certain.
pub(super) fn choose(
    network: &Network<'_>,
    variables: &[(VariableId, Term)],
) -> Option<(Term, Domain, Domain)> {
    if let Some(condition) = open_condition(network) {
        let side = |value| Domain::Bool(Truths::only(value));
        return Some((condition, side(true), side(false)));
    }
    // The variable with most values left, the first of them among equals.
    let mut widest: Option<(u128, Term)> = None;
    for (_, term) in variables {
        let domain = network.domain(*term);
        let count = domain.count();
        if domain != Domain::Untracked && count > 1 && widest.is_none_or(|(most, _)| count > most) {
            widest = Some((count, *term));
        }
    }
    let (_, term) = widest?;
    let (first, second) = halves(network.domain(term))?;
    Some((term, first, second))
}

/// An open argument of a disjunction that must hold or of a conjunction that
/// must fail, or the open condition of a choice.
fn open_condition(network: &Network<'_>) -> Option<Term> {
    let open = |term: &Term| network.domain(*term) == Domain::Bool(Truths::BOTH);
    network.domains().find_map(|(term, domain)| {
        let arguments = network.terms().args(term);
        let undecided_by = match network.terms().op(term) {
            Op::Or => Some(Domain::Bool(Truths::only(true))),
            Op::And => Some(Domain::Bool(Truths::only(false))),
            Op::Ite => return arguments.first().copied().filter(open),
            Op::Value(_)
            | Op::Variable(_)
            | Op::Not
            | Op::Equal
            | Op::Bits(_)
            | Op::Float(..)
            | Op::Libm(..)
            | Op::Unspecified(_)
            | Op::Apply(_)
            | Op::Select
            | Op::Store
            | Op::ConstantArray(_) => None,
        };
        if undecided_by != Some(domain) {
            return None;
        }
        // Decided already by an argument that is certain?
        if arguments.iter().any(|argument| network.domain(*argument) == domain) {
            return None;
        }
        arguments.iter().copied().find(open)
    })
}

/// The two parts of a domain with more than one value.
fn halves(domain: Domain) -> Option<(Domain, Domain)> {
    match domain {
        Domain::Bool(_) => {
            Some((Domain::Bool(Truths::only(true)), Domain::Bool(Truths::only(false))))
        }
        Domain::Rounding(modes) => {
            let first = modes.iter().next()?;
            let rest =
                modes.iter().skip(1).fold(Modes::NONE, |all, mode| all.join(Modes::only(mode)));
            Some((Domain::Rounding(Modes::only(first)), Domain::Rounding(rest)))
        }
        Domain::Bits(bits) => {
            let middle = bits.lo + (bits.hi - bits.lo) / 2;
            let part = |lo, hi| Domain::Bits(bits.within(lo, hi));
            Some((part(bits.lo, middle), part(middle + 1, bits.hi)))
        }
        Domain::Float(grid, floats) => {
            let part = |numbers| Domain::Float(grid, FloatBox { numbers, nan: false });
            let numbers = floats.numbers;
            if floats.nan {
                return Some((part(numbers), Domain::Float(grid, FloatBox::NAN)));
            }
            // The signs come apart first; then the infinities come off.
            let infinity = grid.infinity();
            let middle = if numbers.lo < 0 && numbers.hi >= 0 {
                -1
            } else if numbers.hi == infinity {
                infinity - 1
            } else if numbers.lo == !infinity {
                !infinity
            } else {
                numbers.lo.midpoint(numbers.hi).min(numbers.hi - 1)
            };
            let low = Interval::new(numbers.lo, middle);
            let high = Interval::new(middle + 1, numbers.hi);
            Some((part(low), part(high)))
        }
        Domain::Untracked => None,
    }
}
