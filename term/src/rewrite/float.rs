//! Rules of floats. Sound for every value: signed zeros, infinities, the NaN,
//! and every rounding mode unless a rule names its own.

use super::{Rule, float_head};
use crate::{Op, Sort, Term, Terms, Unspecified, Value};
use nanoscope_ieee::{Format, Operation, Parameters, Rounding, Word};
use num_bigint::BigUint;

/// The arguments of a term that is this operation.
pub(super) fn is(terms: &Terms, term: Term, operation: Operation) -> Option<&[Term]> {
    match terms.op(term) {
        Op::Float(found, _) if found == operation => Some(terms.args(term)),
        _ => None,
    }
}

/// What a term negates.
pub(super) fn negated(terms: &Terms, term: Term) -> Option<Term> {
    is(terms, term, Operation::Neg).map(|args| args[0])
}

/// What a term widens: the operand of a conversion that cannot round.
pub(super) fn widened(terms: &Terms, term: Term) -> Option<Term> {
    let args = is(terms, term, Operation::Convert)?;
    terms.format(term).holds(terms.format(args[1])).then_some(args[1])
}

fn is_nan(terms: &Terms, term: Term) -> bool {
    terms.value(term).is_some_and(Value::is_nan)
}

pub(super) fn equals(terms: &Terms, term: Term, value: impl Fn(Format) -> Value) -> bool {
    let known = terms.value(term);
    known.is_some_and(|known| known.as_float().is_some_and(|(format, _)| *known == value(format)))
}

fn is_zero(terms: &Terms, term: Term) -> bool {
    equals(terms, term, |f| Value::zero(f, false)) || equals(terms, term, |f| Value::zero(f, true))
}

fn is_infinity(terms: &Terms, term: Term, negative: bool) -> bool {
    equals(terms, term, |format| Value::infinity(format, negative))
}

/// Whether it is the known number one, or minus one.
fn is_one(terms: &Terms, term: Term, negative: bool) -> bool {
    equals(terms, term, |format| {
        let exponent = BigUint::from(format.max_exponent() as u64);
        let sign = BigUint::from(negative as u8) << format.exponent_bits;
        let bits = (exponent | sign) << format.fraction_bits();
        Value::float(format, Word::from_big(format.width(), &bits))
    })
}

pub(super) fn mode(terms: &Terms, term: Term) -> Option<Rounding> {
    terms.value(term).and_then(Value::as_rounding)
}

fn is_number(terms: &mut Terms, term: Term) -> Term {
    let nan = terms.fp(Operation::IsNan, &[term]);
    terms.not(nan)
}

/// The known float in a narrower format, if it is exactly there too.
pub(super) fn value_in(terms: &mut Terms, term: Term, format: Format) -> Option<Term> {
    terms.value(term)?;
    let wide = terms.format(term);
    let toward_zero = terms.rounding(Rounding::TowardZero);
    // Values fold even where nothing else is simplified.
    let fold = |terms: &Terms, op: Op, args: &[Term]| {
        let values: Option<Vec<&Value>> = args.iter().map(|arg| terms.value(*arg)).collect();
        crate::evaluate::apply(op, &values?)
    };
    let convert = |from, to| Op::Float(Operation::Convert, Parameters::between(from, to));
    let narrow = fold(terms, convert(wide, format), &[toward_zero, term])?;
    let narrow = terms.constant(narrow);
    let back = fold(terms, convert(format, wide), &[toward_zero, narrow])?;
    (terms.value(term) == Some(&back)).then_some(narrow)
}

/// Both sides in the format that the ones not known were widened from.
fn both_narrowed(terms: &mut Terms, args: &[Term]) -> Option<[Term; 2]> {
    match (widened(terms, args[0]), widened(terms, args[1])) {
        (Some(a), Some(b)) => (terms.sort(a) == terms.sort(b)).then_some([a, b]),
        (Some(a), None) => {
            let format = terms.format(a);
            Some([a, value_in(terms, args[1], format)?])
        }
        (None, Some(b)) => {
            let format = terms.format(b);
            Some([value_in(terms, args[0], format)?, b])
        }
        (None, None) => None,
    }
}

const ORDERS: &[Op] =
    &[float_head(Operation::Less), float_head(Operation::LessEqual), float_head(Operation::Equal)];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "float negated twice",
        equation: "neg (neg x) = x",
        left: &["(fp.neg (fp.neg x))"],
        heads: &[float_head(Operation::Neg)],
        apply: |t, _, args| negated(t, args[0]),
    },
    Rule {
        name: "magnitude of a magnitude",
        equation: "abs (neg x) = abs x, abs (abs x) = abs x",
        left: &["(fp.abs (fp.neg x))", "(fp.abs (fp.abs x))"],
        heads: &[float_head(Operation::Abs)],
        apply: |t, op, args| match negated(t, args[0]) {
            Some(a) => Some(t.make(op, &[a])),
            None => is(t, args[0], Operation::Abs).map(|_| args[0]),
        },
    },
    Rule {
        name: "class without sign",
        equation: "isNaN (neg x) = isNaN x; likewise of abs, and isInfinite, isZero, ...",
        left: &[
            "(fp.isNaN (fp.neg x))",
            "(fp.isNaN (fp.abs x))",
            "(fp.isInfinite (fp.neg x))",
            "(fp.isZero (fp.neg x))",
            "(fp.isZero (fp.abs x))",
            "(fp.isNormal (fp.neg x))",
            "(fp.isSubnormal (fp.abs x))",
            "(ieee.is_finite (fp.neg x))",
        ],
        heads: &[
            float_head(Operation::IsNan),
            float_head(Operation::IsInfinite),
            float_head(Operation::IsFinite),
            float_head(Operation::IsZero),
            float_head(Operation::IsNormal),
            float_head(Operation::IsSubnormal),
        ],
        apply: |t, op, args| {
            let magnitude = |t: &Terms| is(t, args[0], Operation::Abs).map(|args| args[0]);
            let inner = negated(t, args[0]).or_else(|| magnitude(t))?;
            Some(t.make(op, &[inner]))
        },
    },
    Rule {
        name: "sign of an opposite",
        equation: "isNegative (neg x) = isPositive x, isPositive (neg x) = isNegative x",
        left: &["(fp.isNegative (fp.neg x))", "(fp.isPositive (fp.neg x))"],
        heads: &[float_head(Operation::IsNegative), float_head(Operation::IsPositive)],
        apply: |t, op, args| {
            let inner = negated(t, args[0])?;
            let negative = matches!(op, Op::Float(Operation::IsNegative, _));
            let other = if negative { Operation::IsPositive } else { Operation::IsNegative };
            Some(t.fp(other, &[inner]))
        },
    },
    Rule {
        name: "sign of a magnitude",
        equation: "isNegative (abs x) is false, isPositive (abs x) = not (isNaN x)",
        left: &["(fp.isNegative (fp.abs x))", "(fp.isPositive (fp.abs x))"],
        heads: &[float_head(Operation::IsNegative), float_head(Operation::IsPositive)],
        apply: |t, op, args| {
            let inner = is(t, args[0], Operation::Abs)?[0];
            let negative = matches!(op, Op::Float(Operation::IsNegative, _));
            Some(if negative { t.bool(false) } else { is_number(t, inner) })
        },
    },
    Rule {
        name: "sign bit of the one NaN",
        equation: "is_sign_minus x = isNegative x, is_signaling x is false",
        left: &["(ieee.is_sign_minus x)", "(ieee.is_signaling x)"],
        heads: &[float_head(Operation::IsSignMinus), float_head(Operation::IsSignaling)],
        apply: |t, op, args| {
            let sign = matches!(op, Op::Float(Operation::IsSignMinus, _));
            Some(if sign { t.fp(Operation::IsNegative, args) } else { t.bool(false) })
        },
    },
    Rule {
        name: "finite",
        equation: "is_finite x = not (isNaN x or isInfinite x)",
        left: &["(ieee.is_finite x)"],
        heads: &[float_head(Operation::IsFinite)],
        apply: |t, _, args| {
            let (nan, infinite) = (t.fp(Operation::IsNan, args), t.fp(Operation::IsInfinite, args));
            let either = t.or(&[nan, infinite]);
            Some(t.not(either))
        },
    },
    Rule {
        name: "comparison turned",
        equation: "(x > y) = (y < x), (x >= y) = (y <= x)",
        left: &["(fp.gt x y)", "(fp.geq x y)"],
        heads: &[float_head(Operation::Greater), float_head(Operation::GreaterEqual)],
        apply: |t, op, args| {
            let strict = matches!(op, Op::Float(Operation::Greater, _));
            let turned = if strict { Operation::Less } else { Operation::LessEqual };
            Some(t.fp(turned, &[args[1], args[0]]))
        },
    },
    Rule {
        name: "comparison without flags",
        equation: "a signalling comparison = the quiet one",
        left: &[
            "(ieee.equal_signaling x y)",
            "(ieee.less_signaling x y)",
            "(ieee.less_equal_signaling x y)",
            "(ieee.greater_signaling x y)",
            "(ieee.greater_equal_signaling x y)",
        ],
        heads: &[
            float_head(Operation::EqualSignaling),
            float_head(Operation::LessSignaling),
            float_head(Operation::LessEqualSignaling),
            float_head(Operation::GreaterSignaling),
            float_head(Operation::GreaterEqualSignaling),
        ],
        apply: |t, op, args| {
            let Op::Float(operation, _) = op else { return None };
            let quiet = [
                (Operation::EqualSignaling, Operation::Equal),
                (Operation::LessSignaling, Operation::Less),
                (Operation::LessEqualSignaling, Operation::LessEqual),
                (Operation::GreaterSignaling, Operation::Greater),
                (Operation::GreaterEqualSignaling, Operation::GreaterEqual),
            ];
            let (_, quiet) = quiet.iter().find(|(signaling, _)| *signaling == operation)?;
            Some(t.fp(*quiet, args))
        },
    },
    Rule {
        name: "unordered",
        equation: "unordered x y = isNaN x or isNaN y",
        left: &["(ieee.unordered x y)"],
        heads: &[float_head(Operation::Unordered)],
        apply: |t, _, args| {
            let nans = [args[0], args[1]].map(|arg| t.fp(Operation::IsNan, &[arg]));
            Some(t.or(&nans))
        },
    },
    Rule {
        name: "comparison with itself",
        equation: "x < x is false, x <= x = (x == x) = not (isNaN x)",
        left: &["(fp.lt x x)", "(fp.leq x x)", "(fp.eq x x)"],
        heads: ORDERS,
        apply: |t, op, args| {
            if args[0] != args[1] {
                return None;
            }
            let strict = matches!(op, Op::Float(Operation::Less, _));
            Some(if strict { t.bool(false) } else { is_number(t, args[0]) })
        },
    },
    Rule {
        name: "comparison with the NaN",
        equation: "x < NaN is false; likewise <= and ==, either side",
        left: &["(fp.lt x (_ NaN 2 3))", "(fp.leq (_ NaN 2 3) x)", "(fp.eq x (_ NaN 2 3))"],
        heads: ORDERS,
        apply: |t, _, args| (is_nan(t, args[0]) || is_nan(t, args[1])).then(|| t.bool(false)),
    },
    Rule {
        name: "comparison of opposites",
        equation: "neg x < neg y = y < x; likewise with a value, and <=, ==",
        left: &[
            "(fp.lt (fp.neg x) (fp.neg y))",
            "(fp.leq (fp.neg x) (fp.neg y))",
            "(fp.eq (fp.neg x) (fp.neg y))",
            "(fp.lt (fp.neg x) (fp #b0 #b01 #b10))",
            "(fp.leq (fp #b0 #b01 #b10) (fp.neg x))",
        ],
        heads: ORDERS,
        apply: |t, op, args| {
            let opposite = |t: &mut Terms, term| match negated(t, term) {
                Some(inner) => Some(inner),
                None if t.value(term).is_some() => Some(t.fp(Operation::Neg, &[term])),
                None => None,
            };
            negated(t, args[0]).or_else(|| negated(t, args[1]))?;
            let (a, b) = (opposite(t, args[0])?, opposite(t, args[1])?);
            Some(t.make(op, &[b, a]))
        },
    },
    Rule {
        name: "comparison with infinities",
        equation: "x < -oo, +oo < x are false, x <= +oo, -oo <= x = not (isNaN x), ...",
        left: &[
            "(fp.lt x (_ -oo 2 3))",
            "(fp.lt (_ +oo 2 3) x)",
            "(fp.leq x (_ +oo 2 3))",
            "(fp.leq (_ -oo 2 3) x)",
            "(fp.leq x (_ -oo 2 3))",
            "(fp.leq (_ +oo 2 3) x)",
            "(fp.eq x (_ +oo 2 3))",
        ],
        heads: ORDERS,
        apply: |t, op, args| {
            let infinite = |t: &Terms, term| {
                [false, true].into_iter().find(|negative| is_infinity(t, term, *negative))
            };
            let (left, right) = (infinite(t, args[0]), infinite(t, args[1]));
            let Op::Float(operation, _) = op else { return None };
            match (operation == Operation::Less, operation == Operation::Equal) {
                (true, _) => (left == Some(false) || right == Some(true)).then(|| t.bool(false)),
                (_, true) => (left.or(right).is_some()).then(|| t.equal(args[0], args[1])),
                (false, false) => match (left, right) {
                    (Some(true), _) => Some(is_number(t, args[1])),
                    (_, Some(false)) => Some(is_number(t, args[0])),
                    (Some(false), _) | (_, Some(true)) => Some(t.equal(args[0], args[1])),
                    (None, None) => None,
                },
            }
        },
    },
    Rule {
        name: "equality with a value",
        equation: "(x == 0) = isZero x, (x == k) = (x = k) for other numbers k",
        left: &[
            "(fp.eq x (_ +zero 2 3))",
            "(fp.eq (_ -zero 2 3) x)",
            "(fp.eq x (fp #b0 #b01 #b10))",
        ],
        heads: &[float_head(Operation::Equal)],
        apply: |t, _, args| {
            let at = args.iter().position(|arg| t.value(*arg).is_some())?;
            let (value, other) = (args[at], args[1 - at]);
            if is_nan(t, value) {
                None
            } else if is_zero(t, value) {
                Some(t.fp(Operation::IsZero, &[other]))
            } else {
                Some(t.equal(other, value))
            }
        },
    },
    Rule {
        name: "comparison with minus zero",
        equation: "x < -0 = x < +0; likewise <=, either side",
        left: &["(fp.lt x (_ -zero 2 3))", "(fp.leq (_ -zero 2 3) x)"],
        heads: ORDERS,
        apply: |t, op, args| {
            let minus = |t: &Terms, term| equals(t, term, |format| Value::zero(format, true));
            let at = args.iter().position(|arg| minus(t, *arg))?;
            let mut args = args.to_vec();
            let format = t.format(args[at]);
            args[at] = t.constant(Value::zero(format, false));
            Some(t.make(op, &args))
        },
    },
    Rule {
        name: "comparison of magnitudes with zero",
        equation: "abs x < 0 is false, 0 <= abs x = not (isNaN x), abs x <= 0 = isZero x",
        left: &[
            "(fp.lt (fp.abs x) (_ +zero 2 3))",
            "(fp.leq (_ +zero 2 3) (fp.abs x))",
            "(fp.leq (fp.abs x) (_ +zero 2 3))",
        ],
        heads: &[float_head(Operation::Less), float_head(Operation::LessEqual)],
        apply: |t, op, args| {
            let strict = matches!(op, Op::Float(Operation::Less, _));
            let magnitude = |t: &Terms, term| is(t, term, Operation::Abs).map(|args| args[0]);
            if is_zero(t, args[1]) {
                let inner = magnitude(t, args[0])?;
                return Some(if strict {
                    t.bool(false)
                } else {
                    t.fp(Operation::IsZero, &[inner])
                });
            }
            let inner = magnitude(t, args[1]).filter(|_| is_zero(t, args[0]) && !strict)?;
            Some(is_number(t, inner))
        },
    },
    Rule {
        name: "comparison of widened floats",
        equation: "widen x < widen y = x < y; likewise with a value that is not new, and =",
        left: &[
            "(fp.lt ((_ to_fp 3 4) m x) ((_ to_fp 3 4) n y))",
            "(fp.leq ((_ to_fp 3 4) m x) (fp #b0 #b011 #b100))",
            "(fp.eq (fp #b1 #b011 #b100) ((_ to_fp 3 4) m x))",
            "(= ((_ to_fp 3 4) m x) ((_ to_fp 3 4) n y))",
        ],
        heads: &[
            float_head(Operation::Less),
            float_head(Operation::LessEqual),
            float_head(Operation::Equal),
            Op::Equal,
        ],
        apply: |t, op, args| {
            if !matches!(t.sort(args[0]), Sort::Float(_)) {
                return None;
            }
            let [a, b] = both_narrowed(t, args)?;
            Some(match op {
                Op::Float(operation, _) => t.fp(operation, &[a, b]),
                _ => t.equal(a, b),
            })
        },
    },
    Rule {
        name: "class of a widened float",
        equation: "isNaN (widen x) = isNaN x; likewise isInfinite, isZero and the signs",
        left: &[
            "(fp.isNaN ((_ to_fp 3 4) m x))",
            "(fp.isInfinite ((_ to_fp 3 4) m x))",
            "(fp.isZero ((_ to_fp 3 4) m x))",
            "(fp.isNegative ((_ to_fp 3 4) m x))",
            "(fp.isPositive ((_ to_fp 3 4) m x))",
        ],
        heads: &[
            float_head(Operation::IsNan),
            float_head(Operation::IsInfinite),
            float_head(Operation::IsZero),
            float_head(Operation::IsNegative),
            float_head(Operation::IsPositive),
        ],
        apply: |t, op, args| {
            let Op::Float(operation, _) = op else { return None };
            let inner = widened(t, args[0])?;
            Some(t.fp(operation, &[inner]))
        },
    },
    Rule {
        name: "conversion to the same format",
        equation: "to_fp m x = x where nothing changes",
        left: &["((_ to_fp 2 3) m x)"],
        heads: &[float_head(Operation::Convert)],
        apply: |t, op, args| match op {
            Op::Float(_, parameters) if parameters.target == t.format(args[1]) => Some(args[1]),
            _ => None,
        },
    },
    Rule {
        name: "conversion of a widened float",
        equation: "to_fp m (widen x) = to_fp m x",
        left: &["((_ to_fp 2 3) m ((_ to_fp 3 4) n x))", "((_ to_fp 2 2) m ((_ to_fp 3 4) n x))"],
        heads: &[float_head(Operation::Convert)],
        apply: |t, op, args| {
            let Op::Float(_, parameters) = op else { return None };
            let inner = widened(t, args[1])?;
            Some(t.convert(parameters.target, args[0], inner))
        },
    },
    Rule {
        name: "difference as sum",
        equation: "x - y = x + neg y",
        left: &["(fp.sub m x y)"],
        heads: &[float_head(Operation::Sub)],
        apply: |t, _, args| {
            let opposite = t.fp(Operation::Neg, &[args[2]]);
            Some(t.fp(Operation::Add, &[args[0], args[1], opposite]))
        },
    },
    Rule {
        name: "sum and product ordered",
        equation: "y + x = x + y, y * x = x * y, fma y x z = fma x y z",
        left: &["(fp.add m y x)", "(fp.mul m y x)", "(fp.fma m y x (_ +zero 2 3))"],
        heads: &[
            float_head(Operation::Add),
            float_head(Operation::Mul),
            float_head(Operation::Fma),
        ],
        apply: |t, op, args| {
            let mut turned = args.to_vec();
            turned.swap(1, 2);
            (args[1] > args[2]).then(|| t.make(op, &turned))
        },
    },
    Rule {
        name: "selection and equality ordered",
        equation: "f y x = f x y for minNum, maxNum, minimum, maximum, ==",
        left: &[
            "(ieee.min_num y x)",
            "(ieee.max_num y x)",
            "(ieee.minimum y x)",
            "(ieee.maximum y x)",
            "(fp.eq y x)",
        ],
        heads: &[
            float_head(Operation::MinNum),
            float_head(Operation::MaxNum),
            float_head(Operation::Minimum),
            float_head(Operation::Maximum),
            float_head(Operation::Equal),
        ],
        apply: |t, op, args| (args[0] > args[1]).then(|| t.make(op, &[args[1], args[0]])),
    },
    Rule {
        name: "sum with the neutral zero",
        equation: "x + -0 = x unless downward, x + +0 = x downward",
        left: &[
            "(fp.add RNE x (_ -zero 2 3))",
            "(fp.add RTP (_ -zero 2 3) x)",
            "(fp.add RTN x (_ +zero 2 3))",
        ],
        heads: &[float_head(Operation::Add)],
        apply: |t, _, args| {
            let downward = mode(t, args[0])? == Rounding::Downward;
            let neutral =
                |t: &Terms, term| equals(t, term, |format| Value::zero(format, !downward));
            if neutral(t, args[2]) {
                return Some(args[1]);
            }
            neutral(t, args[1]).then(|| args[2])
        },
    },
    Rule {
        name: "sum with the NaN",
        equation: "x + NaN = NaN; likewise of every operation that a NaN goes through",
        left: &[
            "(fp.add m x (_ NaN 2 3))",
            "(fp.mul m (_ NaN 2 3) x)",
            "(fp.div m x (_ NaN 2 3))",
            "(fp.fma m x y (_ NaN 2 3))",
            "(fp.rem x (_ NaN 2 3))",
        ],
        heads: &[
            float_head(Operation::Add),
            float_head(Operation::Mul),
            float_head(Operation::Div),
            float_head(Operation::Fma),
            float_head(Operation::Remainder),
            float_head(Operation::Fmod),
        ],
        apply: |t, _, args| args.iter().copied().find(|arg| is_nan(t, *arg)),
    },
    Rule {
        name: "product and quotient by one",
        equation: "x * 1 = x / 1 = x, x * -1 = x / -1 = neg x",
        left: &[
            "(fp.mul m x (fp #b0 #b01 #b00))",
            "(fp.mul m (fp #b1 #b01 #b00) x)",
            "(fp.div m x (fp #b0 #b01 #b00))",
            "(fp.div m x (fp #b1 #b01 #b00))",
        ],
        heads: &[float_head(Operation::Mul), float_head(Operation::Div)],
        apply: |t, op, args| {
            let turned = (args[2], args[1]);
            let sides = [(args[1], args[2]), turned];
            let product = matches!(op, Op::Float(Operation::Mul, _));
            for (other, one) in &sides[..if product { 2 } else { 1 }] {
                if is_one(t, *one, false) {
                    return Some(*other);
                }
                if is_one(t, *one, true) {
                    return Some(t.fp(Operation::Neg, &[*other]));
                }
            }
            None
        },
    },
    Rule {
        name: "fused sum with the neutral zero",
        equation: "fma x y -0 = x * y unless downward, fma x y +0 = x * y downward",
        left: &["(fp.fma RNE x y (_ -zero 2 3))", "(fp.fma RTN x y (_ +zero 2 3))"],
        heads: &[float_head(Operation::Fma)],
        apply: |t, _, args| {
            let downward = mode(t, args[0])? == Rounding::Downward;
            let neutral = equals(t, args[3], |format| Value::zero(format, !downward));
            neutral.then(|| t.fp(Operation::Mul, &args[..3]))
        },
    },
    Rule {
        name: "integral already",
        equation: "roundToIntegral m (roundToIntegral n x) = roundToIntegral n x",
        left: &["(fp.roundToIntegral m (fp.roundToIntegral n x))"],
        heads: &[
            float_head(Operation::RoundToIntegral),
            float_head(Operation::RoundToIntegralExact),
        ],
        apply: |t, _, args| is(t, args[1], Operation::RoundToIntegral).map(|_| args[1]),
    },
    Rule {
        name: "integral without flags",
        equation: "round_to_integral_exact m x = roundToIntegral m x",
        left: &["(ieee.round_to_integral_exact m x)"],
        heads: &[float_head(Operation::RoundToIntegralExact)],
        apply: |t, _, args| Some(t.fp(Operation::RoundToIntegral, args)),
    },
    Rule {
        name: "encoding read back",
        equation: "from_bits (to_bits x) = x",
        left: &["((_ to_fp 2 3) (ieee.to_bits x))"],
        heads: &[float_head(Operation::FromBits)],
        apply: |t, _, args| is(t, args[0], Operation::ToBits).map(|args| args[0]),
    },
    Rule {
        name: "selection between the same",
        equation: "min x x = max x x = x",
        left: &["(fp.min x x)", "(fp.max x x)", "(ieee.min_num x x)", "(ieee.maximum x x)"],
        heads: &[
            Op::Unspecified(Unspecified::Min(Format::BINARY64)),
            float_head(Operation::MinNum),
            float_head(Operation::MaxNum),
            float_head(Operation::Minimum),
            float_head(Operation::Maximum),
            float_head(Operation::MinX86),
            float_head(Operation::MaxX86),
        ],
        apply: |_, op, args| match op {
            Op::Unspecified(
                Unspecified::ToUnsigned(..)
                | Unspecified::ToSigned(..)
                | Unspecified::ToIeeeBits(_),
            ) => None,
            _ => (args[0] == args[1]).then(|| args[0]),
        },
    },
];
