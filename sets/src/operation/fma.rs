//! The fused multiply-add `a * b + c`, rounded once.

use crate::floats::{Floats, granularity};
use crate::grid::Grid;
use crate::image::{Image, ImageParts};
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::operation::mul;
use crate::project::{Cases, End, Left, Monotone, Wanted, for_quadrants, over_modes, without_end};
use crate::rounding_error;
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// What `a * b + c` gives.
pub fn direct(modes: Modes, a: &Floats, b: &Floats, c: &Floats) -> Image {
    let product = mul::direct(modes, a, b, false);
    let mut cases = ImageParts::new(a.format, modes);
    cases.nan_operand(&[a, b, c]);
    cases.invalid(product.raised.invalid);
    let infinite_product = match a.has_infinity() || b.has_infinity() {
        true => product.result.infinite_part(),
        false => Floats::nothing(a.format),
    };
    cases.invalid(
        (infinite_product.has_plus_infinity() && c.has_minus_infinity())
            || (infinite_product.has_minus_infinity() && c.has_plus_infinity()),
    );
    cases.special = cases.special.join(&infinite_product).join(&c.infinite_part());
    let (a, b, c) = (a.finite_part(), b.finite_part(), c.finite_part());
    let product = granularity::of_product(a.coarsest(), b.coarsest());
    let grain = granularity::of_sum(product, c.coarsest());
    let Some((c_lo, c_hi)) = c.bounds() else { return cases.finish(true) };
    for (a_lo, a_hi) in a.pieces() {
        for (b_lo, b_hi) in b.pieces() {
            // On pieces of one sign the product's least and greatest are at corners.
            let corners = [[a_lo, b_lo], [a_lo, b_hi], [a_hi, b_lo], [a_hi, b_hi]];
            let least = corners.map(|[a, b]| cases.down.fma(a, b, c_lo));
            let greatest = corners.map(|[a, b]| cases.up.fma(a, b, c_hi));
            let lo = least.into_iter().min().expect("four corners");
            let hi = greatest.into_iter().max().expect("four corners");
            let found = cases.between(lo, hi).with_both_zeros();
            cases.finite = cases.finite.join(&found);
            // A product that is lost beside a zero addend.
            let lost = (a_lo > 0 || a_hi < -1) && (b_lo > 0 || b_hi < -1);
            cases.raised.tiny |= lost && c.has_zero() && found.has_zero();
        }
    }
    cases.finish(true).of_multiples(grain)
}

/// A bound of the rounding error of finite results.
pub fn error(modes: Modes, a: &Floats, b: &Floats, c: &Floats) -> f64 {
    let (a, b, c) = (a.finite_part(), b.finite_part(), c.finite_part());
    let results = direct(modes, &a, &b, &c).result;
    let product = rounding_error::grain(&a) + rounding_error::grain(&b);
    let exact = rounding_error::is_exact(product.min(rounding_error::grain(&c)), &results);
    if exact { 0.0 } else { rounding_error::of_results(modes, &results) }
}

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
