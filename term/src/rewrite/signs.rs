//! Normal form of signs: a sign stands outside of products, quotients, remainders and
//! roundings. What rounds upward rounds the opposite downward, so a sign mirrors the mode it
//! passes; where the mode is unknown, it stays inside, on one operand.

use super::float::{equals, is, mode, negated, widened};
use super::{Rule, float_head};
use crate::{Op, Term, Terms, Value};
use nanoscope_ieee::{Operation, Rounding};

/// The term without its sign, if it is an opposite, widened or not, or a negative value.
fn without_sign(terms: &mut Terms, term: Term) -> Option<Term> {
    if let Some(inner) = negated(terms, term) {
        return Some(inner);
    }
    if let Some(inner) = widened(terms, term)
        && let Some(inner) = negated(terms, inner)
    {
        let (target, rounding) = (terms.format(term), terms.args(term)[0]);
        return Some(terms.convert(target, rounding, inner));
    }
    let (format, bits) = terms.value(term)?.as_float()?;
    if !bits.bit(format.width() - 1) || terms.value(term).is_some_and(Value::is_nan) {
        return None;
    }
    opposite_value(terms, term)
}

/// The opposite of a known value.
fn opposite_value(terms: &mut Terms, term: Term) -> Option<Term> {
    let format = terms.format(term);
    let op = Op::Float(Operation::Neg, nanoscope_ieee::Parameters::of(format));
    let value = crate::evaluate::apply(op, &[terms.value(term)?])?;
    Some(terms.constant(value))
}

/// The mode that rounds opposites to opposites, if the mode is known.
fn mirrored(terms: &mut Terms, rounding: Term) -> Option<Term> {
    let mode = mode(terms, rounding)?;
    Some(terms.rounding(mode.mirrored()))
}

fn is_symmetric(terms: &Terms, rounding: Term) -> bool {
    mode(terms, rounding).is_some_and(|mode| mode.mirrored() == mode)
}

/// The term without its magnitude bars, if it is a magnitude or a value that is one.
fn without_magnitude(terms: &Terms, term: Term) -> Option<Term> {
    match is(terms, term, Operation::Abs) {
        Some(args) => Some(args[0]),
        None => {
            let (format, bits) = terms.value(term)?.as_float()?;
            (!bits.bit(format.width() - 1)).then_some(term)
        }
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "opposite of a widened float",
        equation: "neg (widen x) = widen (neg x)",
        left: &["(fp.neg ((_ to_fp 3 4) m x))"],
        heads: &[float_head(Operation::Neg)],
        apply: |t, _, args| {
            let inner = widened(t, args[0])?;
            let (target, rounding) = (t.format(args[0]), t.args(args[0])[0]);
            let opposite = t.fp(Operation::Neg, &[inner]);
            Some(t.convert(target, rounding, opposite))
        },
    },
    Rule {
        name: "signs of both factors",
        equation: "neg x * neg y = x * y, neg x / neg y = x / y, fma (neg x) (neg y) z = fma x y z",
        left: &[
            "(fp.mul m (fp.neg x) (fp.neg y))",
            "(fp.div m (fp.neg x) (fp.neg y))",
            "(fp.mul m (fp.neg x) (fp #b1 #b01 #b10))",
            "(fp.div m (fp #b1 #b01 #b10) (fp.neg x))",
            "(fp.mul m ((_ to_fp 3 4) n (fp.neg x)) (fp.neg u))",
            "(fp.fma m (fp.neg x) (fp.neg y) (_ +zero 2 3))",
        ],
        heads: &[
            float_head(Operation::Mul),
            float_head(Operation::Div),
            float_head(Operation::Fma),
        ],
        apply: |t, op, args| {
            let (a, b) = (without_sign(t, args[1])?, without_sign(t, args[2])?);
            let mut new = args.to_vec();
            (new[1], new[2]) = (a, b);
            Some(t.make(op, &new))
        },
    },
    Rule {
        name: "sign out of a product",
        equation: "neg x * y = neg (x * y), neg x / y = x / neg y = neg (x / y), the mode mirrored",
        left: &[
            "(fp.mul RNE (fp.neg x) y)",
            "(fp.mul RTP x (fp.neg y))",
            "(fp.mul RTZ x (fp #b1 #b01 #b10))",
            "(fp.div RNA x (fp.neg y))",
            "(fp.div RTN (fp.neg x) y)",
            "(fp.div RTN x (fp #b1 #b01 #b10))",
        ],
        heads: &[float_head(Operation::Mul), float_head(Operation::Div)],
        apply: |t, op, args| {
            let rounding = mirrored(t, args[0])?;
            let (a, b) = match without_sign(t, args[1]) {
                Some(a) => (a, args[2]),
                None => (args[1], without_sign(t, args[2])?),
            };
            let product = t.make(op, &[rounding, a, b]);
            Some(t.fp(Operation::Neg, &[product]))
        },
    },
    Rule {
        name: "sign on one factor",
        equation: "x * neg y = neg x * y, x / neg y = neg x / y, fma x (neg y) z = fma (neg x) y z",
        left: &[
            "(fp.mul m x (fp.neg y))",
            "(fp.mul m (fp.neg y) x)",
            "(fp.div m x (fp.neg y))",
            "(fp.div m y (fp.neg x))",
            "(fp.fma m x (fp.neg y) (_ +zero 2 3))",
            "(fp.fma m (fp #b1 #b01 #b10) x (_ +zero 2 3))",
        ],
        heads: &[
            float_head(Operation::Mul),
            float_head(Operation::Div),
            float_head(Operation::Fma),
        ],
        apply: |t, op, args| {
            let quotient = matches!(op, Op::Float(Operation::Div, _));
            for at in if quotient { [2, 2] } else { [1, 2] } {
                let other = args[3 - at];
                let Some(inner) = without_sign(t, args[at]) else { continue };
                let is_value = |t: &Terms, term| t.value(term).is_some();
                // The sign belongs to the dividend, or to the factor that is no value, or to
                // the first of two.
                let moves = match (is_value(t, args[at]), is_value(t, other)) {
                    (_, _) if quotient => true,
                    (true, false) => true,
                    (false, false) => other < inner,
                    (_, true) => false,
                };
                if moves {
                    let mut new = args.to_vec();
                    new[at] = inner;
                    new[3 - at] = t.fp(Operation::Neg, &[other]);
                    return Some(t.make(op, &new));
                }
            }
            None
        },
    },
    Rule {
        name: "signs of a remainder",
        equation: "rem (neg x) y = neg (rem x y), rem x (neg y) = rem x (abs y) = rem x y; so fmod",
        left: &[
            "(fp.rem (fp.neg x) y)",
            "(fp.rem x (fp.neg y))",
            "(fp.rem x (fp.abs y))",
            "(ieee.fmod (fp.neg x) y)",
            "(ieee.fmod x (fp #b1 #b01 #b10))",
        ],
        heads: &[float_head(Operation::Remainder), float_head(Operation::Fmod)],
        apply: |t, op, args| {
            let magnitude = is(t, args[1], Operation::Abs).map(|args| args[0]);
            if let Some(b) = magnitude.or_else(|| without_sign(t, args[1])) {
                return Some(t.make(op, &[args[0], b]));
            }
            let a = without_sign(t, args[0])?;
            let rest = t.make(op, &[a, args[1]]);
            Some(t.fp(Operation::Neg, &[rest]))
        },
    },
    Rule {
        name: "sign out of a rounding",
        equation: "roundToIntegral m (neg x) = neg (roundToIntegral m' x); so to_fp where it rounds",
        left: &[
            "(fp.roundToIntegral RTP (fp.neg x))",
            "(fp.roundToIntegral RNE (fp.neg x))",
            "((_ to_fp 2 3) RTN (fp.neg u))",
        ],
        heads: &[float_head(Operation::RoundToIntegral), float_head(Operation::Convert)],
        apply: |t, op, args| {
            if let Op::Float(Operation::Convert, parameters) = op
                && parameters.target.holds(parameters.format)
            {
                return None;
            }
            let inner = without_sign(t, args[1])?;
            let rounding = mirrored(t, args[0])?;
            let rounded = t.make(op, &[rounding, inner]);
            Some(t.fp(Operation::Neg, &[rounded]))
        },
    },
    Rule {
        name: "magnitudes out of a product",
        equation: "abs x * abs y = abs (x * y) unless rounded up or down; so quotients",
        left: &[
            "(fp.mul RNE (fp.abs x) (fp.abs y))",
            "(fp.div RTZ (fp.abs x) (fp.abs y))",
            "(fp.mul RNA (fp.abs x) (fp #b0 #b01 #b10))",
        ],
        heads: &[float_head(Operation::Mul), float_head(Operation::Div)],
        apply: |t, op, args| {
            if !is_symmetric(t, args[0]) {
                return None;
            }
            let (a, b) = (without_magnitude(t, args[1])?, without_magnitude(t, args[2])?);
            if (a, b) == (args[1], args[2]) {
                return None;
            }
            let product = t.make(op, &[args[0], a, b]);
            Some(t.fp(Operation::Abs, &[product]))
        },
    },
    Rule {
        name: "magnitude of a square",
        equation: "abs (x * x) = x * x, abs (sqrt x) = sqrt (abs x) where x is a magnitude",
        left: &["(fp.abs (fp.mul m x x))", "(fp.abs (fp.sqrt m (fp.abs x)))"],
        heads: &[float_head(Operation::Abs)],
        apply: |t, _, args| {
            let square = is(t, args[0], Operation::Mul).is_some_and(|args| args[1] == args[2]);
            let root = is(t, args[0], Operation::Sqrt)
                .is_some_and(|args| is(t, args[1], Operation::Abs).is_some());
            (square || root).then_some(args[0])
        },
    },
    Rule {
        name: "difference with itself",
        equation: "x + neg x = 0, -0 downward, for finite x, else NaN",
        left: &["(fp.add RNE x (fp.neg x))", "(fp.add RTN (fp.neg x) x)"],
        heads: &[float_head(Operation::Add)],
        apply: |t, _, args| {
            let mode = mode(t, args[0])?;
            let opposite =
                negated(t, args[2]) == Some(args[1]) || negated(t, args[1]) == Some(args[2]);
            if !opposite {
                return None;
            }
            let format = t.format(args[1]);
            let nan = t.fp(Operation::IsNan, &[args[1]]);
            let infinite = t.fp(Operation::IsInfinite, &[args[1]]);
            let special = t.or(&[nan, infinite]);
            let zero = t.constant(Value::zero(format, mode == Rounding::Downward));
            let nan = t.constant(Value::nan(format));
            Some(t.ite(special, nan, zero))
        },
    },
    Rule {
        name: "zero absorbed by a value",
        equation: "(x + 0) + k = x + k, neg (x + 0) + k = neg x + k for values k other than zeros",
        left: &[
            "(fp.add m (fp.add n x (_ +zero 2 3)) (fp #b0 #b01 #b10))",
            "(fp.add m (fp #b1 #b01 #b10) (fp.add n (_ -zero 2 3) x))",
            "(fp.add m (fp.neg (fp.add n (_ +zero 2 3) (fp.neg x))) (fp #b0 #b01 #b10))",
        ],
        heads: &[float_head(Operation::Add)],
        apply: |t, op, args| {
            let at = [1, 2].into_iter().find(|at| t.value(args[*at]).is_some())?;
            if is_zero(t, args[at]) || t.value(args[at]).is_some_and(Value::is_nan) {
                return None;
            }
            let other = without_zero(t, args[3 - at])?;
            Some(t.make(op, &[args[0], other, args[at]]))
        },
    },
    Rule {
        name: "comparison with a zero added",
        equation: "(x + 0 < y) = (x < y); so <=, ==, either side, and isZero, isNaN, isInfinite",
        left: &[
            "(fp.lt (fp.add m x (_ +zero 2 3)) y)",
            "(fp.leq y (fp.neg (fp.add m (_ -zero 2 3) x)))",
            "(fp.eq (fp.add m x (_ +zero 2 3)) x)",
            "(fp.isZero (fp.add m x (_ +zero 2 3)))",
            "(fp.isNaN (fp.add m x (_ -zero 2 3)))",
        ],
        heads: &[
            float_head(Operation::Less),
            float_head(Operation::LessEqual),
            float_head(Operation::Equal),
            float_head(Operation::IsZero),
            float_head(Operation::IsNan),
            float_head(Operation::IsInfinite),
        ],
        apply: |t, op, args| {
            let new: Vec<Option<Term>> = args.iter().map(|arg| without_zero(t, *arg)).collect();
            if new.iter().all(Option::is_none) {
                return None;
            }
            let new: Vec<Term> =
                new.iter().zip(args).map(|(new, old)| new.unwrap_or(*old)).collect();
            Some(t.make(op, &new))
        },
    },
];

fn is_zero(terms: &Terms, term: Term) -> bool {
    [false, true].iter().any(|sign| equals(terms, term, |format| Value::zero(format, *sign)))
}

/// The other operand, if the term is a sum with a zero or the opposite of one. It equals the
/// term up to the sign of a zero.
fn without_zero(terms: &mut Terms, term: Term) -> Option<Term> {
    if let Some(inner) = negated(terms, term) {
        let inner = without_zero(terms, inner)?;
        return Some(terms.fp(Operation::Neg, &[inner]));
    }
    let args = is(terms, term, Operation::Add)?;
    let at = [1, 2].into_iter().find(|at| is_zero(terms, args[*at]))?;
    Some(args[3 - at])
}
