//! The fused multiply-add `a * b + c`, rounded once.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, End, Left, Monotone, Wanted, for_quadrants, over_modes, without_end};
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// `z = a * b + c`, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [a, b, c]: [S; 3], z: S) -> Left<S, 3> {
    over_modes(modes, |mode| {
        let f = Fused(Scalar::new(grid, mode));
        let mut cases = Cases::new(grid, [a, b, c], z);
        let c = c.hull();
        for_quadrants(&[a, b], grid, |a, b| {
            let falling = [b.negative, a.negative, false];
            let finite = [a.without(End::Infinity), b.without(End::Infinity), c];
            cases.monotone(&f, finite, falling);
            let infinity =
                if a.negative == b.negative { grid.infinity() } else { !grid.infinity() };
            let opposite = c.meet(Interval::point(!infinity));
            let others = c.meet(without_end(grid.numbers(), !infinity));
            let infinite_products = [
                [a.only(End::Infinity), b.without(End::Zero)],
                [a.without(End::Zero), b.only(End::Infinity)],
            ];
            for [a, b] in infinite_products {
                cases.monotone(&f, [a, b, others], falling);
                cases.invalid([a, b, opposite]);
            }
            cases.invalid([a.only(End::Infinity), b.only(End::Zero), c]);
            cases.invalid([a.only(End::Zero), b.only(End::Infinity), c]);
        });
        cases.finish()
    })
}

struct Fused(Scalar);

impl Monotone<3> for Fused {
    fn least(&self, [a, b, c]: &[Ordinal; 3]) -> Ordinal {
        self.0.fma(*a, *b, *c).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 3], wanted: Wanted) -> Option<Ordinal> {
        let Scalar { grid, .. } = self.0;
        let [a, b, c] = at.map(|argument| grid.real(argument));
        let sum = wanted.threshold(&self.0);
        let factor = match index {
            0 => b,
            1 => a,
            _ => return Some(wanted.place(grid, a.times_plus(b.negated(), sum))),
        };
        let quotient = || sum.plus(c.negated()).coarse().over(factor, 53);
        (!factor.is_zero()).then(|| wanted.place(grid, quotient()))
    }
}
