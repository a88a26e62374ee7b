//! Ends of domains, and steps of functions that give whole numbers.
//!
//! Where a computed operand leaves the domain of a function by rounding alone (a sine of 1 plus an
//! ulp, the root of a small negative number, a divisor of 0), the float result is no number although
//! the exact one is. Errors do not lead there: they are small right up to the end. What leads there is
//! how far inside the operand still is. Nor do they lead to a quotient that is rounded to a whole
//! number where the exact one is just below it.

use crate::graph::tape::{Action, Tape};
use crate::graph::{NodeId, Operation};
use crate::prove::local::Local;
use nanoscope_ieee::{Libm, Rounding};

/// An operand that may leave a domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The place of a value.
    pub place: usize,
    domain: Domain,
}

/// Numbers that are admitted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Domain {
    AtLeast(f64),
    AtMost(f64),
    Within(f64),
    Nonzero,
    /// All, with a step where rounding to a whole number in a direction has one.
    Stepwise(Rounding),
}

/// Edges that are looked at, at most.
const EDGES: usize = 12;

/// How far outside rounding can take an operand, relative to the end of the domain.
const OUTSIDE: f64 = 1e-3;

/// The edges that enclosures over all inputs do not exclude.
pub fn edges(tape: &Tape) -> Vec<Edge> {
    let mut local = Local::<0>::new(tape);
    local.forward(&tape.whole_box(), &[]);
    let mut found: Vec<Edge> = Vec::new();
    for step in &tape.steps {
        let Action::Operation(operation) = step.action else { continue };
        let Some((operand, domain)) = partial(operation) else { continue };
        let place = operand.index();
        if local.trouble(place).is_none() {
            let float = local.facts(place).float;
            let ends = [float.lo, float.hi, if float.contains(0.0) { 0.0 } else { float.lo }];
            let steps = matches!(domain, Domain::Stepwise(_));
            if !steps && ends.iter().all(|&end| domain.inside(end) > 0.0) {
                continue;
            }
        }
        let edge = Edge { place, domain }.pulled_back(tape);
        // What is given leaves a domain in both computations.
        let computed = matches!(tape.steps[edge.place].action, Action::Operation(_));
        if computed && found.len() < EDGES && !found.contains(&edge) {
            found.push(edge);
        }
    }
    found
}

/// The operand of an operation that is not defined for all numbers.
fn partial(operation: Operation) -> Option<(NodeId, Domain)> {
    Some(match operation {
        Operation::Sqrt(a) => (a, Domain::AtLeast(0.0)),
        Operation::Div(_, b) => (b, Domain::Nonzero),
        Operation::Integral(rounding, a) => (a, Domain::Stepwise(rounding)),
        Operation::Unary(Libm::Asin | Libm::Acos | Libm::Atanh, a) => (a, Domain::Within(1.0)),
        Operation::Unary(Libm::Acosh, a) => (a, Domain::AtLeast(1.0)),
        Operation::Unary(Libm::Log | Libm::Log2 | Libm::Log10, a) => (a, Domain::AtLeast(0.0)),
        Operation::Unary(Libm::Log1p, a) => (a, Domain::AtLeast(-1.0)),
        Operation::Binary(Libm::Pow, a, _) => (a, Domain::AtLeast(0.0)),
        // Any other operation is defined for all numbers.
        _ => return None,
    })
}

impl Domain {
    /// How far inside a number is; negative outside.
    fn inside(self, x: f64) -> f64 {
        match self {
            Domain::AtLeast(low) => x - low,
            Domain::AtMost(high) => high - x,
            Domain::Within(most) => most - x.abs(),
            Domain::Nonzero => x.abs(),
            Domain::Stepwise(Rounding::NearestEven | Rounding::NearestAway) => {
                (x - x.floor() - 0.5).abs()
            }
            Domain::Stepwise(Rounding::Upward | Rounding::Downward | Rounding::TowardZero) => {
                (x - x.round()).abs()
            }
        }
    }
}

impl Edge {
    /// The same of what the operand was computed from, where that says more: the root of 1 plus an
    /// ulp is 1.
    fn pulled_back(mut self, tape: &Tape) -> Edge {
        while let Action::Operation(operation) = tape.steps[self.place].action {
            let (operand, domain) = match (operation, self.domain) {
                (Operation::Convert(a) | Operation::Argument(a), domain) => (a, domain),
                (Operation::Sqrt(a), Domain::Within(most) | Domain::AtMost(most)) => {
                    (a, Domain::AtMost(most * most))
                }
                (Operation::Sqrt(a) | Operation::Abs(a) | Operation::Neg(a), Domain::Nonzero) => {
                    (a, Domain::Nonzero)
                }
                (Operation::Abs(a) | Operation::Neg(a), Domain::Within(most)) => {
                    (a, Domain::Within(most))
                }
                (Operation::Neg(a), Domain::AtLeast(low)) => (a, Domain::AtMost(-low)),
                (Operation::Neg(a), Domain::AtMost(high)) => (a, Domain::AtLeast(-high)),
                (_, _) => break,
            };
            self = Edge { place: operand.index(), domain };
        }
        self
    }

    /// What a value is worth to a climb out of the domain: more the nearer it is to the end, and
    /// more yet outside, as far as rounding goes.
    pub fn worth(&self, x: f64) -> f64 {
        let inside = self.domain.inside(x);
        if inside.is_nan() || inside < -OUTSIDE {
            0.0
        } else if inside > 0.0 {
            (1.0 / inside).min(1e290)
        } else {
            1e300 * (1.0 - inside)
        }
    }

    /// Whether the operand is at a step of a function that is defined on both sides of it.
    pub fn is_at_step(&self, x: f64) -> bool {
        matches!(self.domain, Domain::Stepwise(_)) && self.domain.inside(x) == 0.0
    }

    /// Whether a climb that came to this worth may get to the end.
    pub fn is_near(worth: f64) -> bool {
        worth > 1e6
    }
}
