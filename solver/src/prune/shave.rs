//! Shaving: an end of a box is cut off when propagation refutes it.

use crate::propagate::{Domain, FloatBox, Interval, Network, Propagated};
use nanoscope_budget::Budget;
use nanoscope_term::Term;

/// How many pieces of an end are tried.
const TRIES: usize = 160;

/// Cuts from both ends of a float term what propagation alone refutes, in
/// pieces that grow while they are refuted and shrink while they are not, down
/// to single numbers. Leaves the network propagated.
pub fn shave(network: &mut Network<'_>, term: Term, budget: &Budget) -> Propagated {
    let mut outcome = network.propagate(budget);
    if outcome != Propagated::Settled {
        return outcome;
    }
    if let Domain::Float(grid, floats) = network.domain(term)
        && floats.nan
        && !floats.numbers.is_empty()
    {
        let nan = Domain::Float(grid, FloatBox::NAN);
        let numbers = Domain::Float(grid, floats.without_nan());
        if refuted(network, term, nan, budget) {
            network.restrict(term, numbers);
        } else if refuted(network, term, numbers, budget) {
            network.restrict(term, nan);
        }
        outcome = network.propagate(budget);
    }
    for low in [true, false] {
        let mut piece = 1u128;
        let mut growing = true;
        for _ in 0..TRIES {
            let Domain::Float(grid, floats) = network.domain(term) else { return outcome };
            let numbers = floats.numbers;
            if outcome != Propagated::Settled || numbers.is_empty() {
                return outcome;
            }
            let piece_now = piece.min(numbers.count());
            let reach = i128::try_from(piece_now - 1).unwrap_or(i128::MAX);
            let (end, rest) = if low {
                let cut = numbers.lo.saturating_add(reach);
                (Interval::new(numbers.lo, cut), Interval::new(cut.saturating_add(1), numbers.hi))
            } else {
                let cut = numbers.hi.saturating_sub(reach);
                (Interval::new(cut, numbers.hi), Interval::new(numbers.lo, cut.saturating_sub(1)))
            };
            let end = Domain::Float(grid, FloatBox { numbers: end, nan: false });
            if refuted(network, term, end, budget) {
                let rest = if rest.is_empty() { Interval::EMPTY } else { rest };
                network.restrict(
                    term,
                    Domain::Float(grid, FloatBox { numbers: rest, nan: floats.nan }),
                );
                outcome = network.propagate(budget);
                piece = if growing { piece.saturating_mul(4) } else { piece };
            } else if piece_now == 1 {
                break;
            } else {
                growing = false;
                piece = piece_now / 4;
                piece = piece.max(1);
            }
            if budget.exhausted() {
                return Propagated::Interrupted;
            }
        }
    }
    outcome
}

/// Whether propagation finds a contradiction with the term so restricted.
fn refuted(network: &mut Network<'_>, term: Term, domain: Domain, budget: &Budget) -> bool {
    network.push();
    network.restrict(term, domain);
    let outcome = network.propagate(budget);
    network.pop();
    outcome == Propagated::Contradiction
}
