//! What is known of a choice between two values on a box of inputs.
//!
//! Where the comparison is certain in both computations, the choice is one of its values. Where it
//! is not, the float computation may choose one and the real computation the other, but only
//! where the compared numbers are no farther apart than their errors. How far the two values are
//! apart there counts as an error made here: nothing much, where the seam is continuous.

use crate::graph::{NodeId, Relation};
use crate::interval::{Interval, add_up};
use crate::prove::facts::{Facts, SPARE};
use crate::prove::form::Form;
use crate::rounding::Slip;

/// Whether a comparison holds on the whole box, in both computations, or in neither; none: that
/// is open.
pub fn decided<const N: usize>(
    relation: Relation,
    left: &Facts<N>,
    right: &Facts<N>,
) -> Option<bool> {
    let difference = (left.form - right.form).range();
    let real = certain(relation, left.real, right.real, difference)?;
    let float = certain(relation, left.float, right.float, difference)?;
    (real == float).then_some(real)
}

fn certain(relation: Relation, left: Interval, right: Interval, d: Interval) -> Option<bool> {
    let less = left.hi < right.lo || d.hi < 0.0;
    let at_most = left.hi <= right.lo || d.hi <= 0.0;
    let greater = left.lo > right.hi || d.lo > 0.0;
    let at_least = left.lo >= right.hi || d.lo >= 0.0;
    let (holds, fails) = match relation {
        Relation::Less => (less, at_least),
        Relation::LessEqual => (at_most, greater),
        Relation::Equal => (at_most && at_least, less || greater),
        Relation::NotEqual => (less || greater, at_most && at_least),
    };
    match (holds, fails) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

/// How far apart the compared numbers can be where the computations choose differently.
pub fn width<const N: usize>(left: &Facts<N>, right: &Facts<N>) -> f64 {
    add_up(left.error, right.error)
}

/// An argument about the seam of a choice.
pub trait Seam {
    /// Bounds how far `a` and `b` are apart where `left` and `right` are no farther apart than
    /// `width`; the operands are `[left, right, a, b]`. Infinite or NaN where nothing is known.
    fn apart(&self, operands: [NodeId; 4], width: f64) -> f64;
}

/// The least that some arguments say of a seam.
pub fn least_apart(arguments: &[&dyn Seam], operands: [NodeId; 4], width: f64) -> f64 {
    let of = |argument: &&dyn Seam| argument.apart(operands, width);
    arguments.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// A choice that is open. `jump` bounds how far the values are apart where the computations
/// choose differently.
pub fn open_choice<const N: usize>(a: &Facts<N>, b: &Facts<N>, jump: f64) -> Facts<N> {
    let more = |x: f64| if jump == 0.0 { x } else { add_up(x, jump) };
    let range = a.range.hull(b.range);
    let half = (a.form - b.form).scaled(0.5).range().magnitude();
    let both = (a.form + b.form).scaled(0.5).widened(half);
    let hull = Form::interval(range);
    let form = if both.radius() < hull.radius() { both } else { hull };
    let relative = a.relative.max(b.relative);
    let floor = a.floor.max(b.floor);
    let (real, float) = (a.real.hull(b.real), a.float.hull(b.float));
    // However the computations choose, both stay among the values.
    let error = more(a.error.max(b.error)).min((float - real).magnitude());
    Facts {
        form: if jump == 0.0 { form } else { form.widened(jump) },
        range: if jump == 0.0 { range } else { range.widened(jump) },
        real,
        float,
        grain: a.grain.min(b.grain),
        bits: a.bits.max(b.bits),
        slip: Slip { mid: 0.0, rad: jump },
        error,
        drift: more(a.drift.max(b.drift)),
        relative,
        // The float is near one value, the real is the other.
        floor: if jump == 0.0 { floor } else { add_up(floor, jump * (1.0 + relative) * SPARE) },
        cut: false,
    }
}
