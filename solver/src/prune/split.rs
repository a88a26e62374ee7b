//! Where to split a box in two.

use crate::propagate::{Domain, FloatBox, Grid, Interval, Modes, Network, Ordinal, Truths};
use nanoscope_ieee::Rounding;
use nanoscope_term::{Op, Term, VariableId, op_heads};

/// A term and the two parts of its domain; `None` when every variable that is
/// tracked has one value.
///
/// Splitting variables alone reaches every point, but an open condition that
/// decides between branches is worth more: it makes whole constraints certain.
pub(super) fn choose(
    network: &Network<'_>,
    variables: &[(VariableId, Term)],
    depth: usize,
) -> Option<(Term, Domain, Domain)> {
    if let Some(condition) = open_condition(network) {
        let side = |value| Domain::Bool(Truths::only(value));
        return Some((condition, side(true), side(false)));
    }
    let mut widest: Option<(f64, Term)> = None;
    for (_, term) in variables {
        let domain = network.domain(*term);
        let width = width(domain);
        if width > 0.0 && widest.is_none_or(|(most, _)| width > most) {
            widest = Some((width, *term));
        }
    }
    let (_, term) = widest?;
    let (first, second) = halves(network.domain(term), depth)?;
    Some((term, first, second))
}

/// How much a variable is worth splitting: the distance between its ends, as
/// sums and products feel it; zero if there is nothing to split.
fn width(domain: Domain) -> f64 {
    match domain {
        Domain::Untracked => 0.0,
        _ if domain.is_single() => 0.0,
        Domain::Float(grid, floats) if !floats.nan => {
            let width = value(grid, floats.numbers.hi) - value(grid, floats.numbers.lo);
            // The zeros, and subnormal neighbours of wide formats, are still two.
            width.max(f64::MIN_POSITIVE)
        }
        Domain::Bits(bits) => (bits.hi - bits.lo) as f64,
        Domain::Float(..) | Domain::Bool(_) | Domain::Rounding(_) => f64::INFINITY,
    }
}

/// About the number at an ordinal.
fn value(grid: Grid, at: Ordinal) -> f64 {
    let real = grid.real(at);
    let magnitude = real.significand as f64 * (real.exponent as f64).exp2();
    if real.negative { -magnitude } else { magnitude }
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
            Op::Not
            | Op::Equal
            | Op::Bits(_)
            | Op::Float(..)
            | Op::Libm(..)
            | op_heads!(Leaf, Door) => None,
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

/// Beyond this magnitude exponents are halved before anything else.
const MODERATE: f64 = 1e18;

/// The two parts of a domain with more than one value. Floats of moderate
/// magnitude are cut at the middle of their values, and at every fourth level,
/// as all others, at the middle of their ordinals, which comes to small numbers
/// faster.
fn halves(domain: Domain, depth: usize) -> Option<(Domain, Domain)> {
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
            let moderate = |at| value(grid, at).abs() < MODERATE;
            let middle = if numbers.lo < 0 && numbers.hi >= 0 {
                -1
            } else if numbers.hi == infinity {
                infinity - 1
            } else if numbers.lo == !infinity {
                !infinity
            } else if depth % 4 != 3 && moderate(numbers.lo) && moderate(numbers.hi) {
                let middle = grid.real(numbers.lo).halfway(grid.real(numbers.hi));
                grid.round(middle, Rounding::Downward).clamp(numbers.lo, numbers.hi - 1)
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
