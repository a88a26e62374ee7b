//! Floats as reals: what stands for each operation, when it is NaN, and the elementary
//! functions as unknowns with their domains (Figure 5).

use super::super::number::{exactly, real as exact};
use super::writer::{Writer, unsigned};
use crate::propagate::{Domain, Grid};
use nanoscope_ieee::libm::Domain as Defined;
use nanoscope_ieee::{Float, Format, Operation, Rational, Rounding, domains, operations};
use nanoscope_term::{Libm, Op, Sort, Term, op_heads};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::f64::consts::{FRAC_PI_2, LN_2, LOG10_2, PI};

/// Writes floats.
pub(super) struct Floats<'w, 'a> {
    writer: &'w mut Writer<'a>,
}

impl<'w, 'a> Floats<'w, 'a> {
    pub(super) fn of(writer: &'w mut Writer<'a>) -> Floats<'w, 'a> {
        Floats { writer }
    }

    /// The least number that rounds to infinity, to nearest; none if it is too large to be
    /// written.
    fn overflow(&mut self, format: Format) -> Option<String> {
        let largest = exactly(&Float::largest(format, false))?;
        let half = power(format.max_exponent() - i64::from(format.precision));
        Some(self.writer.number(&(largest + half)))
    }

    fn real(&self, term: Term) -> Option<String> {
        self.writer.real.get(&term).cloned()
    }

    /// When a term is NaN.
    fn nan(&self, term: Term) -> Option<String> {
        self.writer.nan.get(&term).cloned()
    }

    /// A condition under which none of these is NaN.
    fn numbers(&self, floats: &[Term], and: &str) -> String {
        let nans: Vec<String> = floats.iter().filter_map(|float| self.nan(*float)).collect();
        match nans.is_empty() {
            true => and.to_string(),
            false => format!("(and (not (or {})) {and})", nans.join(" ")),
        }
    }

    /// Notes a float, NaN where an argument is or where it has no real value.
    fn put(&mut self, term: Term, what: &str, from: &[Term], undefined: Option<String>) {
        let mut nans: Vec<String> = from.iter().filter_map(|arg| self.nan(*arg)).collect();
        nans.extend(undefined);
        nans.dedup();
        self.writer.stands(term, what);
        if !nans.is_empty() {
            let name = self.writer.named("Bool", &format!("(or {})", nans.join(" ")));
            self.writer.nan.insert(term, name);
        }
    }

    /// Where SMT-LIB's `=` holds of two floats.
    pub(super) fn same(&self, a: Term, b: Term) -> String {
        let [x, y] = [a, b].map(|term| &self.writer.real[&term]);
        let numbers = self.numbers(&[a, b], &format!("(= {x} {y})"));
        match (self.nan(a), self.nan(b)) {
            (Some(first), Some(second)) => format!("(or (and {first} {second}) {numbers})"),
            (Some(_), None) | (None, Some(_)) | (None, None) => numbers,
        }
    }

    /// Where a comparison or a classification holds.
    pub(super) fn predicate(&mut self, operation: Operation, args: &[Term]) -> Option<String> {
        let first = *args.first()?;
        let a = self.real(first)?;
        let Sort::Float(format) = self.writer.terms.sort(first) else { return None };
        let over = self.overflow(format)?;
        let infinite = beyond(&a, &over);
        let normal = self.writer.number(&exactly(&Float::smallest_normal(format, false))?);
        let compared = |how: &str| {
            let b = self.real(*args.get(1)?)?;
            Some(self.numbers(args, &format!("({how} {a} {b})")))
        };
        let alone = |what: &str| Some(self.numbers(&args[..1], what));
        match operation {
            Operation::Equal | Operation::EqualSignaling => compared("="),
            Operation::Less | Operation::LessSignaling => compared("<"),
            Operation::LessEqual | Operation::LessEqualSignaling => compared("<="),
            Operation::Greater | Operation::GreaterSignaling => compared(">"),
            Operation::GreaterEqual | Operation::GreaterEqualSignaling => compared(">="),
            Operation::Unordered => {
                let nans: Vec<String> = args.iter().filter_map(|arg| self.nan(*arg)).collect();
                Some(if nans.is_empty() {
                    "false".to_string()
                } else {
                    format!("(or {})", nans.join(" "))
                })
            }
            Operation::IsNan => Some(self.invalid(first, &over)),
            Operation::IsSignaling => Some("false".to_string()),
            Operation::IsInfinite => alone(&infinite),
            Operation::IsFinite => alone(&format!("(not {infinite})")),
            Operation::IsZero => alone(&format!("(= {a} 0.0)")),
            Operation::IsSubnormal => {
                alone(&format!("(and (not (= {a} 0.0)) (< (- {normal}) {a} {normal}))"))
            }
            Operation::IsNormal => {
                alone(&format!("(and {} (not {infinite}))", beyond(&a, &normal)))
            }
            Operation::IsNegative | Operation::IsSignMinus => alone(&format!("(< {a} 0.0)")),
            Operation::IsPositive => alone(&format!("(>= {a} 0.0)")),
            Operation::Identical => Some(self.same(first, *args.get(1)?)),
            operations!(Arithmetic, Remainder, Integral, Choice, Sign, Step, Convert, Encoding) => {
                None
            }
        }
    }

    /// When a term is NaN, infinities counted in: a sum of unlike ones, a product with zero.
    /// Elsewhere they are not, as they are too many to ask about at every comparison.
    fn invalid(&self, term: Term, over: &str) -> String {
        let terms = self.writer.terms;
        let args = terms.args(term);
        let infinite = |arg: Term| Some(beyond(&self.real(arg)?, over));
        let signs = |how: &str| Some(format!("({how} {} 0.0)", self.real(args[1])?));
        let further = match terms.op(term) {
            Op::Float(operation @ (Operation::Add | Operation::Sub), _) => (|| {
                let (first, second) = (infinite(args[1])?, infinite(args[2])?);
                let (positive, other) = (signs(">")?, self.real(args[2])?);
                let how = if operation == Operation::Add { "<" } else { ">" };
                Some(format!("(and {first} {second} (= {positive} ({how} {other} 0.0)))"))
            })(),
            Op::Float(Operation::Mul, _) => (|| {
                let (first, second) = (infinite(args[1])?, infinite(args[2])?);
                let (a, b) = (self.real(args[1])?, self.real(args[2])?);
                Some(format!("(or (and {first} (= {b} 0.0)) (and {second} (= {a} 0.0)))"))
            })(),
            Op::Float(Operation::Div, _) => (|| {
                let (first, second) = (infinite(args[1])?, infinite(args[2])?);
                Some(format!("(and {first} {second})"))
            })(),
            Op::Float(..)
            | Op::Libm(..)
            | Op::Ite
            | Op::Equal
            | Op::Bits(_)
            | op_heads!(Leaf, Connective, Door) => None,
        };
        match (self.nan(term), further) {
            (Some(nan), Some(further)) => format!("(or {nan} {further})"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => "false".to_string(),
        }
    }

    /// Notes what stands for a float; none if it is beyond reals.
    pub(super) fn float(&mut self, term: Term) -> Option<()> {
        let terms = self.writer.terms;
        let Sort::Float(format) = terms.sort(term) else { return None };
        let over = self.overflow(format)?;
        let args = terms.args(term);
        let floats: Vec<Term> =
            args.iter().copied().filter(|arg| matches!(terms.sort(*arg), Sort::Float(_))).collect();
        let operands: Option<Vec<String>> = floats.iter().map(|arg| self.real(*arg)).collect();
        let operands = operands?;
        let [a, b, c] = [0, 1, 2].map(|at| operands.get(at).map_or("", String::as_str));
        let negative = format!("(- {a})");
        let magnitude = format!("(ite (< {a} 0.0) {negative} {a})");
        match terms.op(term) {
            Op::Value(_) => self.constant(term, &over),
            Op::Variable(variable) => {
                let name = self.writer.variable(variable, "Real");
                self.bounded(term, &name)
            }
            Op::Ite => {
                let condition = self.writer.truth_of(args[0])?;
                self.writer.stands(term, &format!("(ite {condition} {a} {b})"));
                let nans = [0, 1].map(|at| self.nan(floats[at]));
                if nans.iter().any(Option::is_some) {
                    let [then, other] = nans.map(|nan| nan.unwrap_or_else(|| "false".to_string()));
                    let what = format!("(ite {condition} {then} {other})");
                    let name = self.writer.named("Bool", &what);
                    self.writer.nan.insert(term, name);
                }
                Some(())
            }
            Op::Libm(function, _) => {
                self.elementary(term, function, format, &floats, &operands);
                Some(())
            }
            Op::Float(operation, parameters) => {
                let plain = match operation {
                    Operation::Add => format!("(+ {a} {b})"),
                    Operation::Sub => format!("(- {a} {b})"),
                    Operation::Mul => format!("(* {a} {b})"),
                    Operation::Fma => format!("(+ (* {a} {b}) {c})"),
                    Operation::Neg => negative,
                    Operation::Abs => magnitude,
                    Operation::MinNum | Operation::Minimum | Operation::MinX86 => {
                        format!("(ite (< {a} {b}) {a} {b})")
                    }
                    Operation::MaxNum | Operation::Maximum | Operation::MaxX86 => {
                        format!("(ite (> {a} {b}) {a} {b})")
                    }
                    Operation::CopySign => {
                        let size = self.writer.named("Real", &magnitude);
                        format!("(ite (< {b} 0.0) (- {size}) {size})")
                    }
                    // A unit in the last place is rounding.
                    Operation::Convert | Operation::NextUp | Operation::NextDown => a.to_string(),
                    Operation::FromSigned => self.real(args[1])?,
                    Operation::FromUnsigned => unsigned(&self.real(args[1])?, parameters.width),
                    Operation::Div => return self.quotient(term, [floats[0], floats[1]], &over),
                    Operation::Sqrt => {
                        let root = self.writer.unknown("Real");
                        let square = format!("(=> (>= {a} 0.0) (= (* {root} {root}) {a}))");
                        self.writer.assert(&format!("(and (>= {root} 0.0) {square})"));
                        self.put(term, &root, &floats, Some(format!("(< {a} 0.0)")));
                        return Some(());
                    }
                    Operation::Remainder | Operation::Fmod => {
                        let rest = self.writer.unknown("Real");
                        let size = format!("(or (<= (- {b}) {rest} {b}) (<= {b} {rest} (- {b})))");
                        self.writer.assert(&size);
                        self.put(term, &rest, &floats, Some(format!("(= {b} 0.0)")));
                        return Some(());
                    }
                    Operation::RoundToIntegral | Operation::RoundToIntegralExact => {
                        let mode = terms.value(args[0]).and_then(|mode| mode.as_rounding());
                        self.integral(mode, a)
                    }
                    Operation::FromBits => {
                        let name = self.writer.unknown("Real");
                        return self.bounded(term, &name);
                    }
                    Operation::ToBits | operations!(Compare, Classify, ToInteger) => return None,
                };
                self.put(term, &plain, &floats, None);
                Some(())
            }
            Op::Equal | Op::Bits(_) | op_heads!(Connective, Door) => None,
        }
    }

    fn constant(&mut self, term: Term, over: &str) -> Option<()> {
        let value = self.writer.terms.value(term)?;
        if value.is_nan() {
            self.writer.stands(term, "0.0");
            self.writer.nan.insert(term, "true".to_string());
            return Some(());
        }
        let (format, word) = value.as_float()?;
        let what = match exact(value) {
            Some(real) => self.writer.number(&real),
            None => {
                let zero = Float::zero(format, false);
                let float = Float::from_word(format, word.clone());
                let negative = float.partial_order(&zero)?.is_lt();
                if negative { format!("(- {over})") } else { over.to_string() }
            }
        };
        self.writer.stands(term, &what);
        Some(())
    }

    /// Notes an unknown that is a finite float of the term's domain.
    fn bounded(&mut self, term: Term, name: &str) -> Option<()> {
        let Sort::Float(format) = self.writer.terms.sort(term) else { return None };
        let (low, high) = match self.writer.domain(term) {
            Domain::Float(grid, floats) => {
                let numbers = floats.numbers.meet(grid.finite());
                let end = |at| exactly(&Float::from_ordinal(Grid::format(grid), at)?);
                if numbers.is_empty() {
                    return None;
                }
                (end(numbers.lo)?, end(numbers.hi)?)
            }
            Domain::Untracked | Domain::Bool(_) | Domain::Bits(_) | Domain::Rounding(_) => {
                let largest = exactly(&Float::largest(format, false))?;
                (-largest.clone(), largest)
            }
        };
        let [low, high] = [low, high].map(|end| self.writer.number(&end));
        self.writer.assert(&format!("(<= {low} {name} {high})"));
        self.writer.stands(term, name);
        Some(())
    }

    /// A quotient: by a known number, a product; else an unknown that times the divisor is the
    /// dividend, and infinite where that is zero.
    fn quotient(&mut self, term: Term, [above, below]: [Term; 2], over: &str) -> Option<()> {
        let (a, b) = (self.real(above)?, self.real(below)?);
        let known = self.writer.terms.value(below).and_then(exact).filter(|real| !real.is_zero());
        if let Some(divisor) = known {
            let what = format!("(* {} {a})", self.writer.number(&divisor.recip()));
            self.put(term, &what, &[above, below], None);
            return Some(());
        }
        let quotient = self.writer.unknown("Real");
        let pole = beyond(&quotient, over);
        self.writer.assert(&format!("(ite (= {b} 0.0) {pole} (= (* {quotient} {b}) {a}))"));
        let undefined = format!("(and (= {a} 0.0) (= {b} 0.0))");
        self.put(term, &quotient, &[above, below], Some(undefined));
        Some(())
    }

    /// The integer that a number is rounded to, but that it is one.
    fn integral(&mut self, mode: Option<Rounding>, a: &str) -> String {
        let whole = self.writer.unknown("Real");
        let near = match mode {
            Some(Rounding::Downward) => format!("(and (<= {whole} {a}) (< {a} (+ {whole} 1.0)))"),
            Some(Rounding::Upward) => format!("(and (<= {a} {whole}) (< {whole} (+ {a} 1.0)))"),
            Some(Rounding::TowardZero) => format!(
                "(ite (< {a} 0.0) (and (<= {a} {whole} 0.0) (< {whole} (+ {a} 1.0))) \
                 (and (<= 0.0 {whole} {a}) (< {a} (+ {whole} 1.0))))"
            ),
            Some(Rounding::NearestEven | Rounding::NearestAway) => {
                format!("(<= (- {whole} 0.5) {a} (+ {whole} 0.5))")
            }
            None => format!("(<= (- {whole} 1.0) {a} (+ {whole} 1.0))"),
        };
        self.writer.assert(&near);
        whole
    }

    /// An elementary function: an unknown of which little is said but where the function is
    /// not defined, where it overflows and what it never exceeds.
    fn elementary(
        &mut self,
        term: Term,
        function: Libm,
        format: Format,
        floats: &[Term],
        operands: &[String],
    ) {
        let d = self.writer.unknown("Real");
        let x = &operands[0];
        let y = operands.get(1).map_or("", String::as_str);
        let over = self.overflow(format).expect("a format that libm has");
        let tiny = self.writer.number(&power(format.min_exponent()));
        // Where 2^t leaves the format's range.
        let (top, bottom) = (format.max_exponent() as f64 + 1.0, format.min_exponent() as f64);
        // Beyond what range powers of a base leave that of the floats.
        let powers = |scale: f64| {
            format!(
                "(and (= (>= {x} {}) (>= {d} {over})) (=> (< {x} {}) (< {d} {tiny})))",
                decimal(top * scale),
                decimal(bottom * scale)
            )
        };
        let logarithms = |scale: f64, pole: &str| {
            let most = decimal((top - bottom + f64::from(format.precision)) * scale);
            format!(
                "(ite (= {x} {pole}) (<= {d} (- {over})) (and (< (- {most}) {d} {most}) \
                 (= (< {x} (+ {pole} 1.0)) (< {d} 0.0))))"
            )
        };
        let between = |low: f64, high: f64| format!("(<= {} {d} {})", decimal(low), decimal(high));
        let same_sign = format!("(and (= (< {x} 0.0) (< {d} 0.0)) (= (> {x} 0.0) (> {d} 0.0)))");
        let facts = match function {
            Libm::Exp => vec![format!("(> {d} 0.0)"), powers(LN_2)],
            Libm::Exp2 => vec![format!("(> {d} 0.0)"), powers(1.0)],
            Libm::Exp10 => vec![format!("(> {d} 0.0)"), powers(LOG10_2)],
            Libm::Expm1 => {
                let far = format!("(= (>= {x} {}) (>= {d} {over}))", decimal(top * LN_2));
                vec![format!("(> {d} (- 1.0))"), same_sign, far]
            }
            Libm::Log => vec![logarithms(LN_2, "0.0")],
            Libm::Log2 => vec![logarithms(1.0, "0.0")],
            Libm::Log10 => vec![logarithms(LOG10_2, "0.0")],
            Libm::Log1p => vec![logarithms(LN_2, "(- 1.0)")],
            Libm::Sin | Libm::Cos | Libm::Tanh | Libm::J0 | Libm::J1 => vec![between(-1.0, 1.0)],
            Libm::Erf => vec![between(-1.0, 1.0), same_sign],
            Libm::Erfc => vec![between(0.0, 2.0)],
            Libm::Tgamma => vec![format!("(> {d} 0.8)")],
            Libm::Y0 | Libm::Y1 => vec![format!("(< {d} 1.0)")],
            Libm::Asin | Libm::Atan => vec![between(-FRAC_PI_2, FRAC_PI_2), same_sign],
            Libm::Acos => vec![between(0.0, PI)],
            Libm::Atan2 => vec![between(-PI, PI)],
            Libm::Sinh | Libm::Asinh | Libm::Atanh => vec![same_sign],
            Libm::Acosh => vec![format!("(>= {d} 0.0)")],
            Libm::Cosh => vec![format!("(>= {d} 1.0)")],
            Libm::Cbrt => vec![format!("(= (* {d} {d} {d}) {x})")],
            Libm::Pow => {
                let positive = format!("(=> (> {x} 0.0) (> {d} 0.0))");
                let pole = format!("(=> (and (= {x} 0.0) (< {y} 0.0)) {})", beyond(&d, &over));
                vec![positive, pole]
            }
            Libm::Hypot => {
                let squares = format!("(= (* {d} {d}) (+ (* {x} {x}) (* {y} {y})))");
                vec![format!("(>= {d} 0.0)"), squares]
            }
            // Nothing is said of any other but where it is defined.
            _ => Vec::new(),
        };
        let undefined = match function.domain() {
            Defined::Positive | Defined::Gamma => Some(format!("(< {x} 0.0)")),
            Defined::AboveMinusOne => Some(format!("(< {x} (- 1.0))")),
            Defined::AtLeastOne => Some(format!("(< {x} 1.0)")),
            Defined::UnitClosed | Defined::UnitOpen => {
                Some(format!("(or (< {x} (- 1.0)) (> {x} 1.0))"))
            }
            Defined::Finite | Defined::Power | Defined::Modulus | domains!(EveryNumber) => None,
        };
        // Outside its domain, the unknown is not to refute anything.
        for fact in facts {
            match &undefined {
                Some(undefined) => self.writer.assert(&format!("(or {undefined} {fact})")),
                None => self.writer.assert(&fact),
            }
        }
        self.put(term, &d, floats, undefined);
    }
}

/// A number that is written with a few digits.
fn decimal(value: f64) -> String {
    let text = format!("{:.12}", value.abs());
    if value < 0.0 { format!("(- {text})") } else { text }
}

fn beyond(what: &str, limit: &str) -> String {
    format!("(or (>= {what} {limit}) (<= {what} (- {limit})))")
}

fn power(exponent: i64) -> Rational {
    let power = Rational::from_integer(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}
