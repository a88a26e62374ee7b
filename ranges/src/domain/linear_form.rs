//! Linear forms over intervals: sums of atoms times factors and a rest, with outward rounding.

use crate::value::AbstractValue;
use nanoscope_ieee::{Format, Rounding};
use nanoscope_program::ir::Register;
use nanoscope_sets::{Floats, Grid};
use smallvec::{SmallVec, smallvec};

/// An interval of reals with doubles as bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub lo: f64,
    pub hi: f64,
}

impl Bounds {
    /// From `lo` to `hi`.
    pub const fn new(lo: f64, hi: f64) -> Bounds {
        Bounds { lo, hi }
    }

    /// One number.
    pub const fn only(value: f64) -> Bounds {
        Bounds::new(value, value)
    }

    /// The interval, or the line where a bound is not finite.
    fn checked(self) -> Bounds {
        if self.lo.is_finite() && self.hi.is_finite() {
            self
        } else {
            Bounds::new(f64::NEG_INFINITY, f64::INFINITY)
        }
    }

    /// The sums.
    pub fn plus(self, other: Bounds) -> Bounds {
        Bounds::new(sum(self.lo, other.lo, false), sum(self.hi, other.hi, true)).checked()
    }

    /// The products with a number.
    pub fn scaled(self, factor: f64) -> Bounds {
        let (lo, hi) = if factor < 0.0 { (self.hi, self.lo) } else { (self.lo, self.hi) };
        if !(self.size() * factor).is_finite() {
            return Bounds::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        Bounds::new(product(factor, lo, false), product(factor, hi, true)).checked()
    }

    /// The products.
    pub fn times(self, other: Bounds) -> Bounds {
        if self.lo == self.hi {
            return other.scaled(self.lo);
        }
        if other.lo == other.hi {
            return self.scaled(other.lo);
        }
        let pairs =
            [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        let products = |up: bool| pairs.map(|(a, b)| product(a, b, up));
        if !(self.size() * other.size()).is_finite() {
            return Bounds::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        let least = products(false).into_iter().fold(f64::MAX, f64::min);
        let most = products(true).into_iter().fold(f64::MIN, f64::max);
        Bounds::new(least, most).checked()
    }

    /// The reciprocals; the line if zero is among the numbers.
    pub fn reciprocal(self) -> Bounds {
        if self.lo <= 0.0 && self.hi >= 0.0 {
            return Bounds::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        let end = |of: f64, up: bool| {
            let nearest = 1.0 / of;
            // The sign of what is left over says on which side the quotient lies.
            let left = nearest.mul_add(-of, 1.0) * of.signum();
            let sure = nearest.abs() > 1e-280 && nearest.abs() < 1e280;
            directed(nearest, if sure { left } else { f64::NAN }, up)
        };
        Bounds::new(end(self.hi, false), end(self.lo, true)).checked()
    }

    /// The numbers in both, or in the first if that is none.
    pub fn meet(self, other: Bounds) -> Bounds {
        let met = Bounds::new(self.lo.max(other.lo), self.hi.min(other.hi));
        if met.lo <= met.hi { met } else { self }
    }

    /// The least interval that includes both.
    pub fn join(self, other: Bounds) -> Bounds {
        Bounds::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// Whether it includes another.
    pub fn includes(self, other: Bounds) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Whether both bounds are finite.
    pub fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// The opposite numbers.
    pub fn negated(self) -> Bounds {
        Bounds::new(-self.hi, -self.lo)
    }

    /// The greatest magnitude.
    pub fn size(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Whether no magnitude exceeds a limit.
    pub fn is_within(self, limit: f64) -> bool {
        self.lo >= -limit && self.hi <= limit
    }
}

/// A sum rounded up or down. The error of a sum to the nearest is a double itself (Knuth).
pub fn sum(a: f64, b: f64, up: bool) -> f64 {
    let sum = a + b;
    let other = sum - a;
    let error = (a - (sum - other)) + (b - other);
    directed(sum, error, up)
}

/// A product rounded up or down.
pub fn product(a: f64, b: f64, up: bool) -> f64 {
    let product = a * b;
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    if product.abs() < 1e-280 {
        return if up { product.next_up() } else { product.next_down() };
    }
    directed(product, product_error(a, b, product), up)
}

/// What rounding takes from a product that is far from the ends of the range: a double itself
/// (Dekker and Veltkamp, who split the factors into halves). The compiler's own fused
/// multiplication is a slow function where it may not use the processor's.
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    const SPLIT: f64 = 134_217_729.0; // 2^27 + 1
    const LARGEST: f64 = 1e290;
    if a.abs() > LARGEST || b.abs() > LARGEST || product.abs() > LARGEST {
        return a.mul_add(b, -product);
    }
    let halves = |x: f64| {
        let high = SPLIT * x - (SPLIT * x - x);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
}

fn directed(value: f64, error: f64, up: bool) -> f64 {
    if up && (error > 0.0 || error.is_nan()) {
        value.next_up()
    } else if !up && (error < 0.0 || error.is_nan()) {
        value.next_down()
    } else {
        value
    }
}

/// A term of a form: an atom times a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term<A = Register> {
    pub atom: A,
    pub factor: Bounds,
    /// The values of the atom.
    pub range: Bounds,
}

/// A sum of terms and a rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Form<A = Register> {
    pub terms: SmallVec<[Term<A>; 4]>,
    pub rest: Bounds,
}

impl<A: Copy + PartialEq> Form<A> {
    /// A form without atoms.
    pub fn constant(rest: Bounds) -> Form<A> {
        Form { terms: SmallVec::new(), rest }
    }

    /// The form of an atom itself.
    pub fn atom(atom: A, range: Bounds) -> Form<A> {
        let term = Term { atom, factor: Bounds::only(1.0), range };
        Form { terms: smallvec![term], rest: Bounds::only(0.0) }
    }

    /// The sum; `None` if it has too many atoms.
    pub fn plus(mut self, other: &Form<A>, most: usize) -> Option<Form<A>> {
        for term in &other.terms {
            match self.terms.iter_mut().find(|mine| mine.atom == term.atom) {
                Some(mine) => {
                    mine.factor = mine.factor.plus(term.factor);
                    mine.range = mine.range.meet(term.range);
                }
                None => self.terms.push(*term),
            }
        }
        self.terms.retain(|term| term.factor != Bounds::only(0.0));
        self.rest = self.rest.plus(other.rest);
        (self.terms.len() <= most).then_some(self)
    }

    pub fn times(mut self, factor: Bounds) -> Form<A> {
        for term in &mut self.terms {
            term.factor = term.factor.times(factor);
        }
        self.rest = self.rest.times(factor);
        self
    }

    /// The form plus an interval.
    pub fn moved(mut self, by: Bounds) -> Form<A> {
        self.rest = self.rest.plus(by);
        self
    }

    /// A form that includes both, if their terms are the same.
    pub fn join(&self, other: &Form<A>) -> Option<Form<A>> {
        let joined = Form { terms: self.terms.clone(), rest: self.rest.join(other.rest) };
        (self.terms == other.terms).then_some(joined)
    }

    /// The values of the form.
    pub fn bounds(&self) -> Bounds {
        let each = self.terms.iter().map(|term| term.factor.times(term.range));
        each.fold(self.rest, Bounds::plus)
    }
}

/// The bounds of a value of finite numbers; `None` for other values.
pub fn finite(value: &AbstractValue) -> Option<Bounds> {
    match value {
        AbstractValue::Float(floats) => {
            let format = floats.format();
            greatest(format)?;
            let (lo, hi) = floats.bounds().filter(|_| !floats.signs().nan)?;
            let double = |at| Grid::of(format).to_double(at, Rounding::NearestEven);
            Some(Bounds::new(double(lo), double(hi))).filter(|bounds| bounds.is_finite())
        }
        AbstractValue::Integer(integers) if integers.bits > 1 && !integers.is_empty() => {
            let exact = 1 << 53;
            let (mut lo, mut hi) = (integers.lo() as f64, integers.hi() as f64);
            if integers.lo().abs() > exact {
                lo = lo.next_down();
            }
            if integers.hi().abs() > exact {
                hi = hi.next_up();
            }
            Some(Bounds::new(lo, hi))
        }
        AbstractValue::Zeros => Some(Bounds::only(0.0)),
        AbstractValue::Integer(_)
        | AbstractValue::Anything
        | AbstractValue::Pointer(_)
        | AbstractValue::Parts(_) => None,
    }
}

/// The greatest number of a format whose numbers are doubles.
pub fn greatest(format: Format) -> Option<f64> {
    match format {
        Format::BINARY32 => Some(f64::from(f32::MAX)),
        Format::BINARY64 => Some(f64::MAX),
        _ => None,
    }
}

/// A form whose values do not overflow in a format.
pub fn limited<A: Copy + PartialEq>(form: Form<A>, format: Format) -> Option<Form<A>> {
    let limit = greatest(format)?;
    form.bounds().is_within(limit).then_some(form)
}

/// A form whose values are in the range of the signed integers of a width.
pub fn fitting(form: Form, bits: u32) -> Option<Form> {
    // What is rounded to an integer stays within.
    let limit = match bits {
        ..=53 => 2f64.powi(bits as i32 - 1) - 1.0,
        _ => 2f64.powi(bits as i32 - 2),
    };
    form.bounds().is_within(limit).then_some(form)
}

/// Adds the rounding error of an operation to a form of its exact result; `None` if the result
/// may overflow. `unit` is the relative error, half a unit in the last place when rounding to
/// nearest; `subnormal`: results below the normal numbers are inexact, too.
pub fn rounded<A: Copy + PartialEq>(
    form: Form<A>,
    format: Format,
    unit: f64,
    subnormal: bool,
) -> Option<Form<A>> {
    let form = limited(form, format)?;
    let mut error = product(form.bounds().size(), unit, true);
    if subnormal {
        let quantum = Grid::of(format).to_double(1, Rounding::Upward);
        error = sum(error, quantum, true);
    }
    Some(form.moved(Bounds::new(-error, error)))
}

/// The floats of a format between bounds, rounded outward.
pub fn floats_within(format: Format, bounds: Bounds) -> Floats {
    let place = |value, rounding| Grid::of(format).of_double(value, rounding);
    let (lo, hi) = (place(bounds.lo, Rounding::Downward), place(bounds.hi, Rounding::Upward));
    Floats::between(format, lo, hi).with_both_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums and products of whole numbers, against exact ones.
    #[test]
    fn bounds_hold_what_is_exact() {
        let mut dice = crate::tests::Dice::new(15);
        let mut whole = || {
            let size = dice.roll(62);
            (dice.roll(1 << 53) as i64 >> (53 - size.min(53))) << size.saturating_sub(53)
        };
        let mut loose = 0;
        for round in 0..20_000 {
            let sign = |value: i64| if round % 3 == 0 { -value } else { value };
            let (a, b) = (sign(whole()), whole() * [1, -1][round % 2]);
            let (x, y) = (Bounds::only(a as f64), Bounds::only(b as f64));
            let (exact_sum, exact_product) =
                (i128::from(a) + i128::from(b), i128::from(a) * i128::from(b));
            for (bounds, exact) in [(x.plus(y), exact_sum), (x.times(y), exact_product)] {
                assert!(bounds.lo as i128 <= exact && exact <= bounds.hi as i128, "{a}, {b}");
                loose += usize::from(bounds.lo != bounds.hi);
                if exact.abs() < 1 << 53 {
                    assert_eq!(bounds, Bounds::only(exact as f64));
                }
            }
        }
        assert!(loose > 1000, "{loose} were rounded");
        // The error of a product has the sign that a fused multiplication finds.
        for _ in 0..20_000 {
            let mut double = || f64::from_bits(dice.roll(u64::MAX));
            let (a, b) = (double(), double());
            let product = a * b;
            if product.is_finite() && product.abs() >= 1e-280 {
                assert_eq!(product_error(a, b, product), a.mul_add(b, -product), "{a:e}, {b:e}");
            }
        }
        let huge = Bounds::new(-1e300, 1e300);
        assert!(!huge.times(huge).is_within(f64::MAX));
        assert!(!huge.times(huge).plus(huge).times(Bounds::only(0.0)).is_within(f64::MAX));
    }
}
