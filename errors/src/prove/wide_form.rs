//! Forms over many symbols, for computations with many inputs.
//!
//! A [`WideForm`] is `center + sum of coefficients * symbols +- rest` like a [`Form`], with a
//! symbol for every input and every rounding error, the coefficients that are not 0 in a list and
//! in twofold precision. So a long linear computation, such as a stencil or a transform, keeps its
//! values' true ranges, where intervals grow with every step. Rounding errors in one form beyond a
//! limit are taken together as one symbol.

use crate::graph::tape::{Action, Tape};
use crate::graph::{Comparison, NodeId, Operation};
use crate::interval::{Interval, add_down, add_up};
use crate::prove::choice::{Seam, decided};
use crate::prove::facts::Facts;
use crate::prove::form::Form;
use crate::show::shadow::Twofold;

/// Bounds the error of one operation in twofold arithmetic, relative to its result: a few times
/// the square of the unit roundoff (Joldes, Muller and Popescu, 2017).
const UNIT: f64 = 1.6e-30;
/// Bounds what underflow loses.
const TINY: f64 = 1e-290;
/// Rounding errors that a form keeps apart.
const NOISE: usize = 192;

/// A twofold number and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide {
    pub center: Twofold,
    pub rest: f64,
}

impl Wide {
    pub const ZERO: Wide = Wide { center: Twofold { high: 0.0, low: 0.0 }, rest: 0.0 };

    /// A number.
    pub fn new(x: f64) -> Wide {
        Wide { center: Twofold::new(x), rest: 0.0 }
    }

    fn off_by(center: Twofold, rest: f64) -> Wide {
        let size = center.high.abs();
        let rest = if size == 0.0 && rest == 0.0 { 0.0 } else { rest + size * UNIT + TINY };
        Wide { center, rest: rest * (1.0 + 1e-15) }
    }

    pub fn plus(self, other: Wide) -> Wide {
        if other == Wide::ZERO {
            return self;
        }
        if self == Wide::ZERO {
            return other;
        }
        let rest = self.rest + other.rest;
        if exact(self.center, other.center) {
            let rest = if rest == 0.0 { 0.0 } else { rest * (1.0 + 1e-15) + TINY };
            return Wide { center: self.center.plus(other.center), rest };
        }
        let size = self.center.high.abs() + other.center.high.abs();
        Wide::off_by(self.center.plus(other.center), self.rest + other.rest + size * UNIT)
    }

    /// The product with anything that a form can be.
    pub fn times<const N: usize>(self, factor: &Form<N>) -> Wide {
        let (size, by) = (self.center.high.abs() * (1.0 + 1e-15), factor.center.abs());
        let spread = factor.radius();
        if spread == 0.0 && by == 1.0 {
            return if factor.center < 0.0 { self.negated() } else { self };
        }
        if spread == 0.0
            && power_of_two(factor.center)
            && self.rest == 0.0
            && normal(self.center, by)
        {
            return Wide { center: self.center.times(Twofold::new(factor.center)), rest: 0.0 };
        }
        let rest = self.rest * (by + spread) + size * spread;
        Wide::off_by(self.center.times(Twofold::new(factor.center)), rest)
    }

    pub fn negated(self) -> Wide {
        Wide { center: self.center.negated(), rest: self.rest }
    }

    /// The largest magnitude.
    pub fn magnitude(self) -> f64 {
        let bound = (self.center.high.abs() + self.center.low.abs() + self.rest) * (1.0 + 1e-15);
        if bound.is_nan() { f64::INFINITY } else { bound }
    }
}

/// Whether the sum of two numbers is exact in twofold arithmetic: that of two doubles is.
fn exact(a: Twofold, b: Twofold) -> bool {
    a.low == 0.0 && b.low == 0.0 && (a.high + b.high).is_finite()
}

/// Whether a number is a power of two, or minus one.
fn power_of_two(x: f64) -> bool {
    x.is_normal() && x.to_bits() << 12 == 0
}

/// Whether a number stays normal when it is scaled.
fn normal(x: Twofold, by: f64) -> bool {
    let fits = |part: f64| part == 0.0 || (1e-200..1e200).contains(&part.abs());
    fits(x.high) && fits(x.low) && (1e-50..1e50).contains(&by)
}

/// A form over many symbols.
#[derive(Clone, Debug, Default)]
struct WideForm {
    center: Option<Twofold>,
    /// Symbols, in order, with their coefficients.
    terms: Vec<(u32, Twofold)>,
    rest: f64,
}

impl WideForm {
    fn center(&self) -> Twofold {
        self.center.unwrap_or(Twofold::new(0.0))
    }

    fn constant(center: f64, rest: f64) -> WideForm {
        WideForm { center: Some(Twofold::new(center)), terms: Vec::new(), rest }
    }

    /// Whether it is one number.
    fn number(&self) -> Option<Twofold> {
        (self.terms.is_empty() && self.rest == 0.0).then(|| self.center())
    }

    fn radius(&self) -> f64 {
        let sum: f64 = self.terms.iter().map(|(_, x)| x.high.abs() + x.low.abs()).sum();
        (sum + self.rest) * (1.0 + (self.terms.len() + 4) as f64 * 2e-16)
    }

    fn range(&self) -> Interval {
        let (radius, Twofold { high, low }) = (self.radius(), self.center());
        let radius = add_up(radius, low.abs());
        if !(radius.is_finite() && high.is_finite()) {
            return Interval::ALL;
        }
        Interval { lo: add_down(high, -radius), hi: add_up(high, radius) }
    }

    fn scaled(&self, factor: Twofold) -> WideForm {
        if factor == Twofold::new(1.0) {
            return self.clone();
        }
        let scales = factor.low == 0.0 && power_of_two(factor.high);
        let mut size = 0.0;
        let mut scale = |x: Twofold| {
            let product = x.times(factor);
            if !(scales && normal(x, factor.high.abs())) {
                size += product.high.abs() + if x == Twofold::new(0.0) { 0.0 } else { TINY };
            }
            product
        };
        let center = scale(self.center());
        let mut terms = self.terms.clone();
        for (_, term) in &mut terms {
            *term = scale(*term);
        }
        let rest = self.rest * factor.high.abs() * (1.0 + 1e-15);
        WideForm { center: Some(center), terms, rest }.slack(size)
    }

    fn plus(&self, other: &WideForm, sign: f64) -> WideForm {
        let signed = |x: Twofold| if sign < 0.0 { x.negated() } else { x };
        let mut terms = Vec::with_capacity(self.terms.len().max(other.terms.len()) + 8);
        let center = self.center().plus(signed(other.center()));
        // What is exact needs no slack.
        let inexact = |a: Twofold, b: Twofold| match exact(a, b) {
            true => 0.0,
            false => a.high.abs() + b.high.abs(),
        };
        let mut size = inexact(self.center(), other.center());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(&&(i, x)), Some(&&(j, y))) if i == j => {
                    a.next();
                    b.next();
                    size += inexact(x, y);
                    (i, x.plus(signed(y)))
                }
                (Some(&&(i, x)), Some(&&(j, _))) if i < j => {
                    a.next();
                    (i, x)
                }
                (Some(&&term), None) => {
                    a.next();
                    term
                }
                (_, Some(&&(j, y))) => {
                    b.next();
                    (j, signed(y))
                }
            };
            if next.1 != Twofold::new(0.0) {
                terms.push(next);
            }
        }
        let rest = self.rest + other.rest;
        WideForm { center: Some(center), terms, rest }.slack(size)
    }

    /// Adds what this arithmetic itself rounds off: `size` is the sum of the magnitudes rounded.
    fn slack(mut self, size: f64) -> WideForm {
        if size != 0.0 || self.rest != 0.0 {
            self.rest = (self.rest + size * UNIT) * (1.0 + 1e-15) + TINY;
        }
        self
    }
}

/// The forms of a tape's places.
pub struct WideForms {
    forms: Vec<WideForm>,
    /// The last place that uses each.
    last_use: Vec<usize>,
    inputs: u32,
    /// Symbols so far.
    symbols: u32,
}

impl WideForms {
    /// No forms yet.
    pub fn new(tape: &Tape) -> WideForms {
        let mut last_use = vec![0; tape.steps.len()];
        for (place, step) in tape.steps.iter().enumerate() {
            if let Action::Operation(operation) = step.action {
                for operand in operation.operands() {
                    last_use[operand.index()] = place;
                }
            }
        }
        let inputs = tape.inputs.len() as u32;
        WideForms { forms: Vec::with_capacity(tape.steps.len()), last_use, inputs, symbols: inputs }
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.forms.clear();
        self.symbols = self.inputs;
    }

    /// Where the exact result of an operation lies; its form is kept for [`Self::push`].
    pub fn operation<const N: usize>(
        &self,
        operation: Operation,
        facts: &[Facts<N>],
    ) -> Option<(Interval, Pending)> {
        let of = |id: NodeId| &self.forms[id.index()];
        let form = match operation {
            Operation::Add(a, b) => of(a).plus(of(b), 1.0),
            Operation::Sub(a, b) => of(a).plus(of(b), -1.0),
            Operation::Neg(a) => of(a).scaled(Twofold::new(-1.0)),
            Operation::Convert(a) | Operation::Argument(a) => of(a).clone(),
            Operation::Mul(a, b) => product(of(a), of(b)),
            Operation::Fma(a, b, c) => product(of(a), of(b)).plus(of(c), 1.0),
            Operation::Div(a, b) => {
                let inverse = facts[b.index()].range.recip();
                if !inverse.is_finite() {
                    return None;
                }
                let middle = inverse.middle();
                product(of(a), &WideForm::constant(middle, inverse.radius_from(middle)))
            }
            Operation::Abs(a) if facts[a.index()].range.lo >= 0.0 => of(a).clone(),
            Operation::Abs(a) if facts[a.index()].range.hi <= 0.0 => {
                of(a).scaled(Twofold::new(-1.0))
            }
            Operation::Min(a, b) | Operation::Max(a, b) => {
                let least = matches!(operation, Operation::Min(..));
                match order(&facts[a.index()], &facts[b.index()])? {
                    true => of(if least { a } else { b }).clone(),
                    false => of(if least { b } else { a }).clone(),
                }
            }
            Operation::Choose(Comparison { left, relation, right }, a, b) => {
                match decided(relation, &facts[left.index()], &facts[right.index()])? {
                    true => of(a).clone(),
                    false => of(b).clone(),
                }
            }
            Operation::Input(_)
            | Operation::Constant(_)
            | Operation::Sqrt(_)
            | Operation::Abs(_)
            | Operation::Integral(..)
            | Operation::Unary(..)
            | Operation::Binary(..)
            | Operation::Call(_) => return None,
        };
        Some((form.range(), Pending(form)))
    }

    /// Keeps the form of the next place: what was computed and rounded, or anything in its range.
    pub fn push<const N: usize>(
        &mut self,
        tape: &Tape,
        pending: Option<Pending>,
        facts: &Facts<N>,
    ) {
        let place = self.forms.len();
        let input = match tape.steps[place].action {
            Action::Input(input) => Some(input),
            Action::Constant(_) | Action::Operation(_) => None,
        };
        let form = match pending {
            Some(Pending(form)) if !facts.cut => self.with_noise(form, facts.slip.magnitude()),
            Some(_) | None if !facts.range.is_finite() => WideForm::constant(0.0, f64::INFINITY),
            Some(_) | None => {
                let center = facts.range.middle();
                let radius = facts.range.radius_from(center);
                let mut form = WideForm::constant(center, 0.0);
                if radius > 0.0 {
                    let symbol = input.unwrap_or_else(|| self.symbol());
                    form.terms.push((symbol, Twofold::new(radius)));
                }
                form
            }
        };
        self.forms.push(form);
        if let Action::Operation(operation) = tape.steps[place].action {
            for operand in operation.operands() {
                if self.last_use[operand.index()] == place {
                    self.forms[operand.index()] = WideForm::default();
                }
            }
        }
    }

    fn symbol(&mut self) -> u32 {
        self.symbols += 1;
        self.symbols - 1
    }

    /// The form with a rounding error more.
    fn with_noise(&mut self, mut form: WideForm, error: f64) -> WideForm {
        if error > 0.0 {
            let symbol = self.symbol();
            form.terms.push((symbol, Twofold::new(error)));
        }
        let first = form.terms.partition_point(|(symbol, _)| *symbol < self.inputs);
        if form.terms.len() - first > NOISE {
            let noise: f64 =
                form.terms[first..].iter().map(|(_, x)| x.high.abs() + x.low.abs()).sum();
            form.terms.truncate(first);
            let symbol = self.symbol();
            form.terms.push((symbol, Twofold::new(noise * (1.0 + 1e-13))));
        }
        form
    }
}

impl Seam for WideForms {
    fn apart(&self, [left, right, a, b]: [NodeId; 4], width: f64) -> f64 {
        let difference =
            |x: NodeId, y: NodeId| self.forms[x.index()].plus(&self.forms[y.index()], -1.0);
        let (results, compared) = (difference(a, b), difference(left, right));
        let largest =
            compared.terms.iter().max_by(|x, y| x.1.high.abs().total_cmp(&y.1.high.abs()));
        let Some((symbol, of_compared)) = largest else { return f64::INFINITY };
        let Ok(at) = results.terms.binary_search_by_key(symbol, |(symbol, _)| *symbol) else {
            return f64::INFINITY;
        };
        let factor = results.terms[at].1.high / of_compared.high;
        if !factor.is_finite() {
            return f64::INFINITY;
        }
        let rest = results.plus(&compared.scaled(Twofold::new(factor)), -1.0);
        add_up(rest.range().magnitude(), factor.abs() * width * (1.0 + 1e-15))
    }
}

/// Whether one is at most as large as another everywhere, or at least; none: that is open.
fn order<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Option<bool> {
    if a.range.hi <= b.range.lo {
        Some(true)
    } else if a.range.lo >= b.range.hi {
        Some(false)
    } else {
        None
    }
}

/// The form of an operation's exact result.
pub struct Pending(WideForm);

/// `a b`: linear about the centers, and what is not goes into the rest.
fn product(a: &WideForm, b: &WideForm) -> WideForm {
    if let Some(factor) = a.number() {
        return b.scaled(factor);
    }
    if let Some(factor) = b.number() {
        return a.scaled(factor);
    }
    let bent = a.radius() * b.radius() * (1.0 + 1e-15);
    let mut sum = a.scaled(b.center()).plus(&b.scaled(a.center()), 1.0);
    // Both have the product of the centers.
    let twice = a.center().times(b.center());
    let size = 4.0 * twice.high.abs();
    sum.center = Some(sum.center().plus(twice.negated()));
    sum.rest += bent;
    sum.slack(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_sums_enclose() {
        let side = |center: f64, radius: f64, symbol: u32| WideForm {
            center: Some(Twofold::new(center)),
            terms: vec![(symbol, Twofold::new(radius))],
            rest: 0.0,
        };
        let (x, y) = (side(2.0, 0.5, 0), side(-1.0, 0.25, 1));
        assert_eq!(x.plus(&x, -1.0).terms, []);
        let both = product(&x, &y).plus(&x, 1.0).range();
        for (e, f) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (0.3, -0.7)] {
            let (a, b) = (2.0 + 0.5 * e, -1.0 + 0.25 * f);
            assert!(both.contains(a * b + a), "{both:?}");
        }
        assert!(both.width() < 2.0, "{both:?}");
    }
}
