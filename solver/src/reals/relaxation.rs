//! The real relaxation of a box: every float term as a [`Form`] in the
//! variables, and the assertions as linear inequalities between forms.
//!
//! A rounded operation is the exact one and an error of at most half an ulp of
//! the largest result (an ulp for directed modes). That holds for finite
//! results only: a term that may overflow or be a NaN has no form, and
//! assertions about it are left out. What is left out only weakens.

use super::library;
use super::linear::Inequality;
use super::taylor::Form;
use crate::propagate::{Domain, Grid, Network, Ordinal};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Libm, Operation, Rounding, operations};
use nanoscope_term::{Op, Sort, Term, Terms, Value, op_heads};
use std::collections::BTreeMap;

/// How far the mathematical library's results may be from the function's, in ulps of the exact
/// value: eight floats from the nearest one, in the binade above where it comes to that.
const LIBRARY_ULPS: f64 = 17.0;

/// A variable of the relaxation: a float between finite ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) term: Term,
    pub(super) grid: Grid,
    pub(super) low: Ordinal,
    pub(super) high: Ordinal,
    pub(super) centre: f64,
    pub(super) radius: f64,
}

/// The number at a place of a format that `double` holds.
pub(super) fn number(grid: Grid, place: Ordinal) -> f64 {
    let bits = grid.encode(place);
    let format = grid.format();
    if format == Format::BINARY64 {
        f64::from_bits(bits as u64)
    } else if format == Format::BINARY32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        nanoscope_ieee::Float::from_bits(format, bits).to_f64()
    }
}

/// The finite numbers that are left of a term; none if there may be others.
fn interval(network: &Network, term: Term) -> Option<(Grid, Ordinal, Ordinal)> {
    let Domain::Float(grid, floats) = network.domain(term) else { return None };
    let numbers = floats.numbers;
    let held = Format::BINARY64.holds(grid.format());
    let finite = !floats.nan && !numbers.is_empty() && numbers.meet(grid.finite()) == numbers;
    (held && finite).then_some((grid, numbers.lo, numbers.hi))
}

/// The variable as a side of the box, if it is between finite ends.
pub(super) fn side(network: &Network, term: Term) -> Option<Side> {
    let (grid, low, high) = interval(network, term)?;
    let (a, b) = (number(grid, low), number(grid, high));
    let centre = a / 2.0 + b / 2.0;
    let radius = (b - centre).max(centre - a);
    // Rounded to the nearest, it may be half an ulp short.
    let radius = radius * (1.0 + f64::EPSILON) + f64::from_bits(1);
    radius.is_finite().then_some(Side { term, grid, low, high, centre, radius })
}

/// Forms and bounds of terms in one box.
pub(super) struct Relaxation<'a, 'n> {
    terms: &'a Terms,
    network: &'n Network<'a>,
    known: BTreeMap<Term, Option<Enclosed>>,
    most: u32,
}

#[derive(Clone, Debug)]
struct Enclosed {
    form: Form,
    low: f64,
    high: f64,
}

impl Enclosed {
    fn magnitude(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

impl<'a, 'n> Relaxation<'a, 'n> {
    /// The forms of the float terms `below`, of degree `most`; none if the
    /// budget ends.
    pub(super) fn new(
        network: &'n Network<'a>,
        below: &[Term],
        sides: &[Side],
        most: u32,
        budget: &Budget,
    ) -> Option<Relaxation<'a, 'n>> {
        let terms = network.terms();
        let mut relaxation = Relaxation { terms, network, known: BTreeMap::new(), most };
        for (index, side) in sides.iter().enumerate() {
            let form = Form::variable(index, side.centre, side.radius);
            let (low, high) = (number(side.grid, side.low), number(side.grid, side.high));
            relaxation.known.insert(side.term, Some(Enclosed { form, low, high }));
        }
        for (count, term) in below.iter().enumerate() {
            if count % 64 == 63 && budget.exhausted() {
                return None;
            }
            if matches!(terms.sort(*term), Sort::Float(_)) && !relaxation.known.contains_key(term) {
                let enclosed = relaxation.enclose(*term);
                relaxation.known.insert(*term, enclosed);
            }
        }
        Some(relaxation)
    }

    fn get(&self, term: Term) -> Option<&Enclosed> {
        self.known.get(&term).and_then(Option::as_ref)
    }

    /// The form of a term whose arguments' are known, cut to its domain.
    fn enclose(&self, term: Term) -> Option<Enclosed> {
        let domain = interval(self.network, term)
            .map(|(grid, low, high)| (number(grid, low), number(grid, high)));
        let Some(mut enclosed) = self.compute(term) else {
            // Nothing but its ends.
            let (low, high) = domain?;
            let centre = low / 2.0 + high / 2.0;
            let radius = (high - centre).max(centre - low) * (1.0 + f64::EPSILON);
            let form = Form::around(centre, radius + f64::MIN_POSITIVE);
            return form.is_finite().then_some(Enclosed { form, low, high });
        };
        if let Some((low, high)) = domain {
            enclosed.low = enclosed.low.max(low);
            enclosed.high = enclosed.high.min(high);
        }
        enclosed.form.is_finite().then_some(enclosed)
    }

    fn compute(&self, term: Term) -> Option<Enclosed> {
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Value(_) => {
                let value = self.terms.value(term)?;
                let (format, word) = value.as_float()?;
                if !Format::BINARY64.holds(format) {
                    return None;
                }
                let place = Grid::new(format)?.decode(word.to_u128()?)?;
                let value = number(Grid::new(format)?, place);
                value.is_finite().then(|| Enclosed {
                    form: Form::constant(value),
                    low: value,
                    high: value,
                })
            }
            Op::Ite => match self.network.domain(args[0]).value() {
                Some(Value::Bool(holds)) => {
                    self.get(if holds { args[1] } else { args[2] }).cloned()
                }
                Some(_) | None => {
                    let (a, b) = (self.get(args[1])?, self.get(args[2])?);
                    let (low, high) = (a.low.min(b.low), a.high.max(b.high));
                    let centre = low / 2.0 + high / 2.0;
                    let radius = (high - centre).max(centre - low) * (1.0 + f64::EPSILON);
                    Some(Enclosed {
                        form: Form::around(centre, radius + f64::MIN_POSITIVE),
                        low,
                        high,
                    })
                }
            },
            Op::Float(operation, _) => {
                let target = self.terms.format(term);
                if !Format::BINARY64.holds(target) {
                    return None;
                }
                self.operation(operation, target, args)
            }
            Op::Libm(function, format) => {
                let argument = self.get(args[0])?;
                let range = (argument.low, argument.high);
                let form = match function {
                    Libm::Pow => {
                        let exponent = self.get(args[1])?;
                        if exponent.low != exponent.high {
                            return None;
                        }
                        library::raised(&argument.form, range, exponent.low, self.most)?
                    }
                    other => library::applied(other, &argument.form, range, self.most)?,
                };
                self.within_ulps(form, format, LIBRARY_ULPS)
            }
            Op::Variable(_) | Op::Equal | Op::Bits(_) | op_heads!(Connective, Door) => None,
        }
    }

    fn operation(&self, operation: Operation, target: Format, args: &[Term]) -> Option<Enclosed> {
        let at = |index: usize| self.get(args[index]);
        let most = self.most;
        let exactly = |form: Form| {
            let (low, high) = form.range();
            Some(Enclosed { form, low, high })
        };
        match operation {
            Operation::Add => self.rounded(at(1)?.form.plus(&at(2)?.form), target, args[0]),
            Operation::Sub => self.rounded(at(1)?.form.minus(&at(2)?.form), target, args[0]),
            Operation::Mul => self.rounded(at(1)?.form.times(&at(2)?.form, most), target, args[0]),
            Operation::Div => {
                let inverse = at(2)?.form.inverted(most)?;
                self.rounded(at(1)?.form.times(&inverse, most), target, args[0])
            }
            Operation::Fma => {
                let product = at(1)?.form.times(&at(2)?.form, most);
                self.rounded(product.plus(&at(3)?.form), target, args[0])
            }
            Operation::Sqrt => self.rounded(at(1)?.form.rooted(most)?, target, args[0]),
            Operation::Convert => {
                let operand = at(1)?;
                if target.holds(self.terms.format(args[1])) {
                    return Some(operand.clone());
                }
                self.rounded(operand.form.clone(), target, args[0])
            }
            Operation::RoundToIntegral | Operation::RoundToIntegralExact => {
                exactly(at(1)?.form.clone().widened(1.0))
            }
            Operation::Neg => {
                let operand = at(0)?;
                let (low, high) = (-operand.high, -operand.low);
                Some(Enclosed { form: operand.form.clone().negated(), low, high })
            }
            Operation::Abs => {
                let operand = at(0)?;
                if operand.low >= 0.0 {
                    Some(operand.clone())
                } else if operand.high <= 0.0 {
                    let (low, high) = (-operand.high, -operand.low);
                    Some(Enclosed { form: operand.form.clone().negated(), low, high })
                } else {
                    let high = operand.magnitude();
                    let half = high / 2.0;
                    let form = Form::around(half, half * (1.0 + f64::EPSILON) + f64::MIN_POSITIVE);
                    Some(Enclosed { form, low: 0.0, high })
                }
            }
            Operation::CopySign
            | operations!(
                Remainder,
                Choice,
                Step,
                Compare,
                Classify,
                FromInteger,
                ToInteger,
                Encoding
            ) => None,
        }
    }

    /// A form after rounding to a format; none if it may overflow.
    fn rounded(&self, form: Form, target: Format, mode: Term) -> Option<Enclosed> {
        let nearest = matches!(
            self.terms.value(mode).and_then(Value::as_rounding),
            Some(Rounding::NearestEven | Rounding::NearestAway)
        );
        self.within_ulps(form, target, if nearest { 0.5 } else { 1.0 })
    }

    /// A form after an error of so many ulps; none if it may overflow.
    fn within_ulps(&self, form: Form, target: Format, ulps: f64) -> Option<Enclosed> {
        let (low, high) = form.range();
        let most = low.abs().max(high.abs());
        let grid = Grid::new(target)?;
        // An ulp of the largest binade reached, or the quantum.
        let ulp = power(exponent(most).max(target.min_exponent()) - target.fraction_bits() as i64);
        let farther = if ulps > 1.0 { ulps * ulp } else { 0.0 };
        if most.is_nan() || most + farther >= number(grid, grid.max_finite()) {
            return None;
        }
        // A quantum too small for a double is a small double.
        let form = form.widened((ulps * ulp).max(f64::from_bits(1)));
        let (low, high) = (low - ulps.max(1.0) * ulp, high + ulps.max(1.0) * ulp);
        let slack = f64::EPSILON * most + f64::from_bits(1);
        Some(Enclosed { form, low: low - slack, high: high + slack })
    }

    /// The linear inequalities that an assertion implies in this box.
    pub(super) fn inequalities(
        &self,
        assertions: &[Term],
        dimensions: usize,
    ) -> Vec<(Inequality, f64)> {
        let mut found = Vec::new();
        let mut todo: Vec<(Term, bool)> =
            assertions.iter().map(|assertion| (*assertion, true)).collect();
        while let Some((term, wanted)) = todo.pop() {
            let args = self.terms.args(term);
            match (self.terms.op(term), wanted) {
                (Op::Not, _) => todo.push((args[0], !wanted)),
                (Op::And, true) | (Op::Or, false) => {
                    todo.extend(args.iter().map(|arg| (*arg, wanted)));
                }
                (Op::And, false) | (Op::Or, true) => {
                    // All but one cannot be: then that one is.
                    let possible: Vec<Term> = args
                        .iter()
                        .copied()
                        .filter(|arg| {
                            self.network.domain(*arg).value() != Some(Value::Bool(!wanted))
                        })
                        .collect();
                    if let [only] = possible.as_slice() {
                        todo.push((*only, wanted));
                    }
                }
                (Op::Equal, true) => {
                    found.extend(self.less(args[0], args[1], dimensions));
                    found.extend(self.less(args[1], args[0], dimensions));
                }
                (Op::Float(operation, _), _) => {
                    self.comparison(operation, wanted, args, dimensions, &mut found);
                }
                (Op::Ite | Op::Equal | Op::Bits(_) | Op::Libm(..) | op_heads!(Leaf, Door), _) => {}
            }
        }
        found
    }

    fn comparison(
        &self,
        operation: Operation,
        wanted: bool,
        args: &[Term],
        dimensions: usize,
        found: &mut Vec<(Inequality, f64)>,
    ) {
        let ordered = match operation {
            operations!(Below) => Some((args[0], args[1])),
            operations!(Above) => Some((args[1], args[0])),
            Operation::Equal | Operation::EqualSignaling => {
                if wanted {
                    found.extend(self.less(args[0], args[1], dimensions));
                    found.extend(self.less(args[1], args[0], dimensions));
                }
                None
            }
            Operation::Identical
            | Operation::Unordered
            | operations!(
                Arithmetic, Remainder, Integral, Choice, Sign, Step, Classify, Convert, Encoding
            ) => None,
        };
        if let Some((less, more)) = ordered {
            // Both are finite numbers if they have forms: an order that fails
            // is the opposite order.
            let (less, more) = if wanted { (less, more) } else { (more, less) };
            found.extend(self.less(less, more, dimensions));
        }
    }

    /// `a <= b` as a linear inequality, with how nonlinear it is.
    fn less(&self, a: Term, b: Term, dimensions: usize) -> Option<(Inequality, f64)> {
        let (a, b) = (self.get(a)?, self.get(b)?);
        let excess = a.form.minus(&b.form);
        if !excess.is_finite() {
            return None;
        }
        let slopes: Vec<f64> = (0..dimensions).map(|index| excess.slope(index)).collect();
        let (low, _) = excess.rest();
        // centre + slopes · x + rest <= 0, the rest at least `low`; rounded up.
        let bound = -excess.centre() - low;
        let bound = bound + bound.abs() * f64::EPSILON + f64::MIN_POSITIVE;
        Some((Inequality { slopes, bound }, -low))
    }
}

/// The exponent of the binade of a number that is not negative.
fn exponent(value: f64) -> i64 {
    if value < f64::MIN_POSITIVE {
        return -1022;
    }
    ((value.to_bits() >> 52) as i64) - 1023
}

/// A power of two, the least double for smaller ones.
fn power(exponent: i64) -> f64 {
    if exponent < -1074 { f64::from_bits(1) } else { 2f64.powi(exponent as i32) }
}
