//! The domain of ratios: `|a| <= c |b|` for two registers and a number `c`, from comparisons with
//! products: after `a >= b * c` the quotient `a / b` is not below `c`, and `b / a` not above `1 / c`.
//!
//! A ratio is one of exact numbers: roundings of the products, and what they lose where they
//! underflow, are accounted for when it is made. It holds unless one of the two is a NaN.

use crate::domain::derivation::{Derivation, floats, magnitude};
use crate::domain::environment::Environment;
use crate::domain::linear_form::finite;
use crate::domain::point::{Domain, Known, Side, Text, names_after};
use crate::domain::values::{Computed, modes_of};
use crate::policy::MOST_RATIOS;
use crate::value::AbstractValue;
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_program::ir::{Act, Edge, Instruction, Operand, Register};
use nanoscope_sets::{Floats, Grid, Modes, Relation};
use smallvec::SmallVec;

/// `|a| <= most * |b|`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ratio {
    a: Register,
    b: Register,
    most: f64,
}

/// Ratios that hold.
#[derive(Clone, Debug, Default)]
pub struct Ratios(SmallVec<[Ratio; 2]>);

/// More than one rounding to nearest multiplies a normal number by, in any format of at least
/// 24 bits.
const ROUNDED: f64 = 1.0 + 1.0 / (1 << 22) as f64;

/// An upper bound of a product of numbers that are not negative.
fn times(a: f64, b: f64) -> f64 {
    let nearest = a * b;
    if nearest > SAFE && a.mul_add(b, -nearest) == 0.0 { nearest } else { nearest.next_up() }
}

/// An upper and a lower bound of a quotient of numbers that are not negative.
fn over(a: f64, b: f64) -> f64 {
    let nearest = a / b;
    if is_quotient(a, b, nearest) { nearest } else { nearest.next_up() }
}

fn over_below(a: f64, b: f64) -> f64 {
    let nearest = a / b;
    if is_quotient(a, b, nearest) { nearest } else { nearest.next_down() }
}

/// Whether a quotient is exact; what is left over is so where it does not underflow.
fn is_quotient(a: f64, b: f64, nearest: f64) -> bool {
    a > SAFE && nearest.is_normal() && nearest.mul_add(-b, a) == 0.0
}

/// A number whose rounding errors are normal numbers.
const SAFE: f64 = 1e-280;

/// Whether a product with the number is exact where it is normal.
fn is_power_of_two(number: f64) -> bool {
    number.is_normal() && number.to_bits() << 12 == 0
}

/// Whether the arithmetic of doubles bounds ratios in a format.
fn is_followed(format: Format) -> bool {
    format.precision >= 24 && format.precision <= 53 && format.min_exponent() >= -1022
}

/// The least and the greatest magnitude of the numbers of a set.
fn magnitudes(floats: &Floats) -> Option<(f64, f64)> {
    let grid = Grid::of(floats.format);
    let (lo, hi) = floats.magnitudes().bounds()?;
    let least = if floats.has_zero() { 0.0 } else { grid.to_double(lo, Rounding::Downward) };
    Some((least, grid.to_double(hi, Rounding::Upward)))
}

/// A number as a factor times another's magnitude: `operand = factor * of`, but for one rounding.
struct Scaled {
    of: Register,
    least: f64,
    most: f64,
    is_rounded: bool,
}

impl Scaled {
    /// What a product that is a normal number may be multiplied by in rounding.
    fn rounding(&self) -> f64 {
        let is_exact = self.least == self.most && is_power_of_two(self.least);
        if is_exact { 1.0 } else { ROUNDED }
    }

    /// The factor of an operand that is a product with, or a quotient by, what is known well.
    fn of(at: &Text, environment: &Environment, operand: Operand) -> Option<Scaled> {
        let inner = magnitude(at, operand);
        let register = inner.register()?;
        let itself = Scaled { of: register, least: 1.0, most: 1.0, is_rounded: false };
        let Some(Act::Float { operation, operands, mode, relaxed: false, .. }) =
            at.facts.definitions.act(at.function, register)
        else {
            return Some(itself);
        };
        let &[x, y] = &operands[..] else { return Some(itself) };
        if modes_of(at.modes, *mode) != Modes::NEAREST {
            return Some(itself);
        }
        let factor = |operand: Operand| {
            let range = finite(at.value(environment, operand))?;
            let range = if range.hi < 0.0 { range.negated() } else { range };
            (range.lo > 0.0 && range.hi / range.lo < 2.0).then_some((range.lo, range.hi))
        };
        let rounded = |of: Operand, (least, most): (f64, f64)| {
            Some(Scaled { of: of.register()?, least, most, is_rounded: true })
        };
        let found = match operation {
            Operation::Mul => factor(y)
                .and_then(|factor| rounded(x, factor))
                .or_else(|| factor(x).and_then(|factor| rounded(y, factor))),
            Operation::Div => {
                factor(y).and_then(|(lo, hi)| rounded(x, (over_below(1.0, hi), over(1.0, lo))))
            }
            // Any other operation does not scale.
            _ => None,
        };
        Some(found.unwrap_or(itself))
    }
}

impl Ratios {
    fn add(&mut self, new: Ratio) {
        if new.a == new.b || !(new.most > 0.0 && new.most.is_finite()) {
            return;
        }
        if let Some(known) = self.0.iter_mut().find(|it| (it.a, it.b) == (new.a, new.b)) {
            known.most = known.most.min(new.most);
        } else if self.0.len() < MOST_RATIOS {
            self.0.push(new);
        }
    }

    /// The least known `c` with `|x| <= c |y|`, by ratios and the order of magnitudes.
    fn most(&self, at: &Text, known: Known, x: Operand, y: Operand) -> Option<f64> {
        let holds = |ratio: &&Ratio| {
            let derivation = Derivation::new(at, known.environment, known.relations);
            let [a, b] = [ratio.a, ratio.b].map(Operand::Register);
            derivation.is_no_larger(x, a, at.order_depth)
                && derivation.passes(x, a)
                && derivation.is_no_larger(b, y, at.order_depth)
                && derivation.passes(y, b)
        };
        self.0.iter().filter(holds).map(|ratio| ratio.most).reduce(f64::min)
    }
}

/// `|lesser| <= |greater|` says this of what they are products of.
fn compared(
    at: &Text,
    environment: &Environment,
    lesser: Operand,
    greater: Operand,
) -> Option<Ratio> {
    let small = Scaled::of(at, environment, lesser)?;
    let large = Scaled::of(at, environment, greater)?;
    // Between the registers themselves it is a relation of order.
    if !small.is_rounded && !large.is_rounded {
        return None;
    }
    let of_small = floats(at, environment, lesser)?;
    let of_large = floats(at, environment, greater)?;
    if !is_followed(of_small.format) || of_small.format != of_large.format {
        return None;
    }
    let grid = Grid::of(of_small.format);
    let normal = grid.to_double(grid.min_normal(), Rounding::Upward);
    let (least_small, _) = magnitudes(&of_small)?;
    let (least_large, _) = magnitudes(&of_large)?;
    // What bounds the lesser from below bounds the greater.
    let least = least_small.max(least_large);
    let mut most = 1.0;
    if small.is_rounded {
        // Either the product is normal, or less than the least normal number, which is at most so
        // many times the greater.
        if least <= 0.0 {
            return None;
        }
        most = over(f64::max(small.rounding(), over(normal, least)), small.least);
    }
    if large.is_rounded {
        let overflows = of_small.has_infinity() && of_large.has_infinity();
        if least < normal || overflows {
            return None;
        }
        most = times(times(most, large.rounding()), large.most);
    }
    Some(Ratio { a: small.of, b: large.of, most })
}

impl Domain for Ratios {
    fn assume(
        &mut self,
        at: &Text,
        environment: &Environment,
        [a, b]: [Operand; 2],
        relation: Relation,
    ) {
        if at.order_depth == 0 {
            return;
        }
        let order = relation.order();
        let is_not_negative =
            |operand| floats(at, environment, operand).is_some_and(|it| it.negative.is_empty());
        for (lesser, greater, is_so) in [(a, b, order.not_greater), (b, a, order.not_less)] {
            if is_so
                && is_not_negative(lesser)
                && let Some(ratio) = compared(at, environment, lesser, greater)
            {
                // Of a number and its magnitude either may be read later.
                let both =
                    |it: Register| [Some(it), magnitude(at, Operand::Register(it)).register()];
                for a in both(ratio.a).into_iter().flatten() {
                    for b in both(ratio.b).into_iter().flatten() {
                        self.add(Ratio { a, b, ..ratio });
                    }
                }
            }
        }
    }

    fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|ratio| ratio.a != register && ratio.b != register);
        }
    }

    fn follow(
        &mut self,
        _at: &Text,
        _before: &Environment,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        if self.0.is_empty() {
            return;
        }
        let mut carried = Ratios::default();
        for ratio in &self.0 {
            for a in names_after(edge, ratio.a).filter(|a| is_live(*a)) {
                for b in names_after(edge, ratio.b).filter(|b| is_live(*b)) {
                    carried.add(Ratio { a, b, ..*ratio });
                }
            }
        }
        *self = carried;
    }

    fn join(a: Side<Self>, b: Side<Self>, _joined: &Environment) -> Self {
        let mut joined = Ratios::default();
        for (side, other) in [(a, b), (b, a)] {
            for ratio in &side.element.0 {
                if let Some(theirs) = ratio.known_of(other) {
                    joined.add(Ratio { most: ratio.most.max(theirs), ..*ratio });
                }
            }
        }
        joined
    }

    fn widen(a: Side<Self>, b: Side<Self>, _wide: &Environment) -> Self {
        let stable = |ratio: &&Ratio| ratio.known_of(b).is_some_and(|theirs| theirs <= ratio.most);
        Ratios(a.element.0.iter().filter(stable).copied().collect())
    }

    fn includes(&self, other: Side<Self>) -> bool {
        self.0.iter().all(|ratio| ratio.known_of(other).is_some_and(|most| most <= ratio.most))
    }

    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        let Act::Float { operation: Operation::Div, parameters, operands, mode, relaxed: false } =
            &instruction.act
        else {
            return;
        };
        let (&[a, b], AbstractValue::Float(given)) = (&operands[..], &computed.value) else {
            return;
        };
        if self.0.is_empty()
            || modes_of(at.modes, *mode) != Modes::NEAREST
            || !is_followed(parameters.format)
        {
            return;
        }
        let (most, least) = (self.most(at, known, a, b), self.most(at, known, b, a));
        if most.is_none() && least.is_none() {
            return;
        }
        // Rounding is monotone.
        let grid = Grid::of(parameters.format);
        let hi = most.map_or(grid.infinity(), |most| grid.of_double(most, Rounding::Upward));
        let lo = least
            .map_or(0, |least| grid.of_double(over_below(1.0, least), Rounding::Downward).max(0));
        let upper = Floats::between(parameters.format, lo, hi);
        let known = upper.join(&upper.negated());
        let known = if lo == 0 { known.with_both_zeros() } else { known };
        computed.meet(&AbstractValue::float(Floats { nan: given.get().nan, ..known }));
    }
}

impl Ratio {
    /// The ratio on a side, by its ratios or by the values of its registers.
    fn known_of(&self, side: Side<Ratios>) -> Option<f64> {
        let same = |known: &&Ratio| (known.a, known.b) == (self.a, self.b);
        if let Some(known) = side.element.0.iter().find(same) {
            return Some(known.most);
        }
        let of = |register: Register| match side.environment.get(register) {
            Some(AbstractValue::Float(floats)) => magnitudes(&floats.get()),
            _ => None,
        };
        let ((_, most), (least, _)) = (of(self.a)?, of(self.b)?);
        let ratio = over(most, least);
        (least > 0.0 && ratio.is_finite() && ratio <= self.most).then_some(ratio)
    }
}
