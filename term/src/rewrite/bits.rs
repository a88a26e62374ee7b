//! Rules of bit strings.

use super::{Rule, part, parts2};
use crate::{BitsOp, Op, Term, Terms, Value};
use nanoscope_ieee::Word;
use num_bigint::BigUint;

fn word(terms: &Terms, term: Term) -> Option<&Word> {
    terms.value(term).and_then(Value::as_bits)
}

fn is_zero(terms: &Terms, term: Term) -> bool {
    word(terms, term).is_some_and(Word::is_zero)
}

fn is_ones(terms: &Terms, term: Term) -> bool {
    word(terms, term).is_some_and(|word| *word == Word::ones(word.width()))
}

fn is_one(terms: &Terms, term: Term) -> bool {
    word(terms, term).is_some_and(|word| word.to_u128() == Some(1))
}

/// The exponent, if the term is a known power of two.
fn power_of_two(terms: &Terms, term: Term) -> Option<u32> {
    let word = word(terms, term)?;
    let top = word.significant_bits().checked_sub(1)?;
    (word.to_big() == BigUint::from(1u32) << top).then_some(top)
}

fn constant(terms: &mut Terms, word: Word) -> Term {
    terms.constant(Value::Bits(word))
}

/// The known argument of a pair and the other one.
fn with_value(terms: &Terms, args: &[Term]) -> Option<(Term, Term)> {
    let known = args.iter().position(|arg| terms.value(*arg).is_some())?;
    Some((args[known], args[1 - known]))
}

/// Whether one is the bitwise negation of the other.
fn opposite(terms: &Terms, a: Term, b: Term) -> bool {
    let not = Op::Bits(BitsOp::Not);
    part(terms, a, not) == Some(b) || part(terms, b, not) == Some(a)
}

const fn head(op: BitsOp) -> Op {
    Op::Bits(op)
}

const EXTRACT: &[Op] = &[head(BitsOp::Extract { high: 0, low: 0 })];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "bits negated twice",
        equation: "bvnot (bvnot a) = a, bvneg (bvneg a) = a",
        left: &["(bvnot (bvnot a))", "(bvneg (bvneg a))"],
        heads: &[head(BitsOp::Not), head(BitsOp::Neg)],
        apply: |t, op, args| part(t, args[0], op),
    },
    Rule {
        name: "bits ordered",
        equation: "f b a = f a b for bvand, bvor, bvxor, bvadd, bvmul",
        left: &["(bvand b a)", "(bvor b a)", "(bvxor b a)", "(bvadd b a)", "(bvmul b a)"],
        heads: &[
            head(BitsOp::And),
            head(BitsOp::Or),
            head(BitsOp::Xor),
            head(BitsOp::Add),
            head(BitsOp::Mul),
        ],
        apply: |t, op, args| (args[0] > args[1]).then(|| t.make(op, &[args[1], args[0]])),
    },
    Rule {
        name: "conjunction of bits",
        equation: "a & a = a, a & 0 = 0, a & ones = a, a & ~a = 0",
        left: &["(bvand a a)", "(bvand a #b000)", "(bvand #b111 a)", "(bvand a (bvnot a))"],
        heads: &[head(BitsOp::And)],
        apply: |t, _, args| {
            if args[0] == args[1] {
                return Some(args[0]);
            }
            if opposite(t, args[0], args[1]) {
                let width = t.width(args[0]);
                return Some(constant(t, Word::zero(width)));
            }
            let (value, other) = with_value(t, args)?;
            if is_zero(t, value) { Some(value) } else { is_ones(t, value).then_some(other) }
        },
    },
    Rule {
        name: "disjunction of bits",
        equation: "a | a = a, a | 0 = a, a | ones = ones, a | ~a = ones",
        left: &["(bvor a a)", "(bvor a #b000)", "(bvor #b111 a)", "(bvor a (bvnot a))"],
        heads: &[head(BitsOp::Or)],
        apply: |t, _, args| {
            if args[0] == args[1] {
                return Some(args[0]);
            }
            if opposite(t, args[0], args[1]) {
                let width = t.width(args[0]);
                return Some(constant(t, Word::ones(width)));
            }
            let (value, other) = with_value(t, args)?;
            if is_ones(t, value) { Some(value) } else { is_zero(t, value).then_some(other) }
        },
    },
    Rule {
        name: "exclusive disjunction of bits",
        equation: "a ^ a = 0, a ^ 0 = a, a ^ ones = ~a, a ^ ~a = ones",
        left: &["(bvxor a a)", "(bvxor a #b000)", "(bvxor #b111 a)", "(bvxor a (bvnot a))"],
        heads: &[head(BitsOp::Xor)],
        apply: |t, _, args| {
            let width = t.width(args[0]);
            if args[0] == args[1] {
                return Some(constant(t, Word::zero(width)));
            }
            if opposite(t, args[0], args[1]) {
                return Some(constant(t, Word::ones(width)));
            }
            let (value, other) = with_value(t, args)?;
            if is_ones(t, value) {
                Some(t.bits_op(BitsOp::Not, &[other]))
            } else {
                is_zero(t, value).then_some(other)
            }
        },
    },
    Rule {
        name: "sum with values",
        equation: "a + 0 = a, (a + k) + l = a + (k + l)",
        left: &["(bvadd a #b000)", "(bvadd (bvadd a #b011) #b111)"],
        heads: &[head(BitsOp::Add)],
        apply: |t, _, args| {
            let (value, other) = with_value(t, args)?;
            if is_zero(t, value) {
                return Some(other);
            }
            let inner = parts2(t, other, Op::Bits(BitsOp::Add))?;
            let (known, rest) = with_value(t, &inner)?;
            let sum = t.bits_op(BitsOp::Add, &[known, value]);
            Some(t.bits_op(BitsOp::Add, &[rest, sum]))
        },
    },
    Rule {
        name: "sum of opposites",
        equation: "a + (-a) = 0, a + (-b) = a - b",
        left: &["(bvadd a (bvneg a))", "(bvadd a (bvneg b))", "(bvadd (bvneg b) a)"],
        heads: &[head(BitsOp::Add)],
        apply: |t, _, args| {
            let neg = Op::Bits(BitsOp::Neg);
            if let Some(b) = part(t, args[1], neg) {
                return Some(t.bits_op(BitsOp::Sub, &[args[0], b]));
            }
            let a = part(t, args[0], neg)?;
            Some(t.bits_op(BitsOp::Sub, &[args[1], a]))
        },
    },
    Rule {
        name: "difference",
        equation: "a - a = 0, a - k = a + (-k), 0 - a = -a",
        left: &["(bvsub a a)", "(bvsub a #b011)", "(bvsub #b000 a)"],
        heads: &[head(BitsOp::Sub)],
        apply: |t, _, args| {
            let width = t.width(args[0]);
            if args[0] == args[1] {
                return Some(constant(t, Word::zero(width)));
            }
            if t.value(args[1]).is_some() {
                let opposite = t.bits_op(BitsOp::Neg, &[args[1]]);
                return Some(t.bits_op(BitsOp::Add, &[args[0], opposite]));
            }
            is_zero(t, args[0]).then(|| t.bits_op(BitsOp::Neg, &[args[1]]))
        },
    },
    Rule {
        name: "product with values",
        equation: "a * 0 = 0, a * 1 = a, a * ones = -a, a * 2^k = a << k",
        left: &["(bvmul a #b000)", "(bvmul #b001 a)", "(bvmul #b111 a)", "(bvmul a #b010)"],
        heads: &[head(BitsOp::Mul)],
        apply: |t, _, args| {
            let (value, other) = with_value(t, args)?;
            if is_zero(t, value) {
                return Some(value);
            }
            if is_one(t, value) {
                return Some(other);
            }
            if is_ones(t, value) {
                return Some(t.bits_op(BitsOp::Neg, &[other]));
            }
            let shift = power_of_two(t, value)?;
            let width = t.width(value);
            let shift = t.bits(width, shift as u128);
            Some(t.bits_op(BitsOp::Shl, &[other, shift]))
        },
    },
    Rule {
        name: "quotient by a power of two",
        equation: "a / 2^k = a >> k, a / 0 = ones",
        left: &["(bvudiv a #b001)", "(bvudiv a #b010)", "(bvudiv a #b000)"],
        heads: &[head(BitsOp::Udiv)],
        apply: |t, _, args| {
            let width = t.width(args[0]);
            if is_zero(t, args[1]) {
                return Some(constant(t, Word::ones(width)));
            }
            let shift = power_of_two(t, args[1])?;
            let shift = t.bits(width, shift as u128);
            Some(t.bits_op(BitsOp::Lshr, &[args[0], shift]))
        },
    },
    Rule {
        name: "remainder by a power of two",
        equation: "a mod 2^k = a & (2^k - 1), a mod 0 = a",
        left: &["(bvurem a #b001)", "(bvurem a #b010)", "(bvurem a #b100)", "(bvurem a #b000)"],
        heads: &[head(BitsOp::Urem)],
        apply: |t, _, args| {
            let width = t.width(args[0]);
            if is_zero(t, args[1]) {
                return Some(args[0]);
            }
            let kept = power_of_two(t, args[1])?;
            let mask = Word::from_big(width, &Word::ones(kept.max(1)).to_big());
            let mask = if kept == 0 { Word::zero(width) } else { mask };
            let mask = constant(t, mask);
            Some(t.bits_op(BitsOp::And, &[args[0], mask]))
        },
    },
    Rule {
        name: "shift of or by nothing",
        equation: "0 << a = 0, a << 0 = a; likewise to the right",
        left: &[
            "(bvshl #b000 a)",
            "(bvshl a #b000)",
            "(bvlshr #b000 a)",
            "(bvlshr a #b000)",
            "(bvashr #b000 a)",
            "(bvashr a #b000)",
        ],
        heads: &[head(BitsOp::Shl), head(BitsOp::Lshr), head(BitsOp::Ashr)],
        apply: |t, _, args| (is_zero(t, args[0]) || is_zero(t, args[1])).then(|| args[0]),
    },
    Rule {
        name: "shift by a value",
        equation: "a << k = concat (low of a) 0, a >> k = extension of the high of a",
        left: &[
            "(bvshl c #x1)",
            "(bvshl c #x7)",
            "(bvlshr c #x1)",
            "(bvlshr c #x7)",
            "(bvashr c #x1)",
            "(bvashr c #x7)",
        ],
        heads: &[head(BitsOp::Shl), head(BitsOp::Lshr), head(BitsOp::Ashr)],
        apply: |t, op, args| {
            let width = t.width(args[0]);
            let amount = word(t, args[1])?.to_u128().unwrap_or(u128::MAX).min(width as u128) as u32;
            let signed = op == Op::Bits(BitsOp::Ashr);
            if amount == 0 {
                return Some(args[0]);
            }
            if amount == width && !signed {
                return Some(constant(t, Word::zero(width)));
            }
            if op == Op::Bits(BitsOp::Shl) {
                let low = t.extract(width - 1 - amount, 0, args[0]);
                let zeros = constant(t, Word::zero(amount));
                return Some(t.concat(low, zeros));
            }
            let high = t.extract(width - 1, amount.min(width - 1), args[0]);
            let more = width - t.width(high);
            let extend = if signed { BitsOp::SignExtend(more) } else { BitsOp::ZeroExtend(more) };
            Some(t.bits_op(extend, &[high]))
        },
    },
    Rule {
        name: "extraction of everything",
        equation: "extract of all bits of a = a",
        left: &["((_ extract 2 0) a)"],
        heads: EXTRACT,
        apply: |t, op, args| {
            let Op::Bits(BitsOp::Extract { high, low }) = op else { return None };
            (low == 0 && high + 1 == t.width(args[0])).then(|| args[0])
        },
    },
    Rule {
        name: "extraction from a part",
        equation: "extract of extract, concat or extension = extract of the parts it reaches",
        left: &[
            "((_ extract 1 1) ((_ extract 3 1) c))",
            "((_ extract 4 3) (concat a d))",
            "((_ extract 1 0) (concat a d))",
            "((_ extract 3 1) (concat a d))",
            "((_ extract 1 0) ((_ zero_extend 3) a))",
            "((_ extract 4 3) ((_ zero_extend 3) a))",
            "((_ extract 3 1) ((_ zero_extend 3) a))",
            "((_ extract 1 0) ((_ sign_extend 3) a))",
        ],
        heads: EXTRACT,
        apply: |t, op, args| {
            let Op::Bits(BitsOp::Extract { high, low }) = op else { return None };
            let inner = t.args(args[0]).to_vec();
            match t.op(args[0]) {
                Op::Bits(BitsOp::Extract { low: base, .. }) => {
                    Some(t.extract(high + base, low + base, inner[0]))
                }
                Op::Bits(BitsOp::Concat) => {
                    let cut = t.width(inner[1]);
                    if high < cut {
                        return Some(t.extract(high, low, inner[1]));
                    }
                    if low >= cut {
                        return Some(t.extract(high - cut, low - cut, inner[0]));
                    }
                    let upper = t.extract(high - cut, 0, inner[0]);
                    let lower = t.extract(cut - 1, low, inner[1]);
                    Some(t.concat(upper, lower))
                }
                Op::Bits(BitsOp::ZeroExtend(_)) => {
                    let width = t.width(inner[0]);
                    if high < width {
                        return Some(t.extract(high, low, inner[0]));
                    }
                    if low >= width {
                        return Some(constant(t, Word::zero(high - low + 1)));
                    }
                    let lower = t.extract(width - 1, low, inner[0]);
                    Some(t.bits_op(BitsOp::ZeroExtend(high + 1 - width), &[lower]))
                }
                Op::Bits(BitsOp::SignExtend(_)) if high < t.width(inner[0]) => {
                    Some(t.extract(high, low, inner[0]))
                }
                _ => None,
            }
        },
    },
    Rule {
        name: "extension by nothing",
        equation: "zero_extend 0 a = a, sign_extend 0 a = a",
        left: &["((_ zero_extend 0) a)", "((_ sign_extend 0) a)"],
        heads: &[head(BitsOp::ZeroExtend(0)), head(BitsOp::SignExtend(0))],
        apply: |_, op, args| {
            let nothing = [BitsOp::ZeroExtend(0), BitsOp::SignExtend(0)].map(Op::Bits);
            nothing.contains(&op).then(|| args[0])
        },
    },
    Rule {
        name: "extension of an extension",
        equation: "zero_extend (zero_extend a) and the like = one extension",
        left: &[
            "((_ zero_extend 1) ((_ zero_extend 2) a))",
            "((_ sign_extend 1) ((_ sign_extend 2) a))",
            "((_ sign_extend 1) ((_ zero_extend 2) a))",
        ],
        heads: &[head(BitsOp::ZeroExtend(0)), head(BitsOp::SignExtend(0))],
        apply: |t, op, args| {
            let inner = *t.args(args[0]).first()?;
            match (op, t.op(args[0])) {
                (Op::Bits(BitsOp::ZeroExtend(m)), Op::Bits(BitsOp::ZeroExtend(n))) => {
                    Some(t.bits_op(BitsOp::ZeroExtend(m + n), &[inner]))
                }
                (Op::Bits(BitsOp::SignExtend(m)), Op::Bits(BitsOp::SignExtend(n))) => {
                    Some(t.bits_op(BitsOp::SignExtend(m + n), &[inner]))
                }
                (Op::Bits(BitsOp::SignExtend(m)), Op::Bits(BitsOp::ZeroExtend(n))) if n > 0 => {
                    Some(t.bits_op(BitsOp::ZeroExtend(m + n), &[inner]))
                }
                _ => None,
            }
        },
    },
    Rule {
        name: "concatenation of neighbours",
        equation: "concat (extract h m a) (extract m-1 l a) = extract h l a",
        left: &["(concat ((_ extract 3 2) c) ((_ extract 1 1) c))"],
        heads: &[head(BitsOp::Concat)],
        apply: |t, _, args| {
            let Op::Bits(BitsOp::Extract { high, low: middle }) = t.op(args[0]) else {
                return None;
            };
            let Op::Bits(BitsOp::Extract { high: below, low }) = t.op(args[1]) else {
                return None;
            };
            let source = t.args(args[0])[0];
            let fits = source == t.args(args[1])[0] && middle == below + 1;
            fits.then(|| t.extract(high, low, source))
        },
    },
    Rule {
        name: "concatenation below zeros",
        equation: "concat 0 a = zero_extend a",
        left: &["(concat #b00 a)"],
        heads: &[head(BitsOp::Concat)],
        apply: |t, _, args| {
            let more = t.width(args[0]);
            is_zero(t, args[0]).then(|| t.bits_op(BitsOp::ZeroExtend(more), &[args[1]]))
        },
    },
    Rule {
        name: "order with itself",
        equation: "a < a is false, a <= a is true",
        left: &["(bvult a a)", "(bvule a a)", "(bvslt a a)", "(bvsle a a)"],
        heads: &[head(BitsOp::Ult), head(BitsOp::Ule), head(BitsOp::Slt), head(BitsOp::Sle)],
        apply: |t, op, args| {
            let or_equal = [BitsOp::Ule, BitsOp::Sle].map(Op::Bits).contains(&op);
            (args[0] == args[1]).then(|| t.bool(or_equal))
        },
    },
    Rule {
        name: "less than the bounds",
        equation: "a < 0 is false, ones < a is false, 0 < a = not (a = 0), a < 1 = (a = 0)",
        left: &["(bvult a #b000)", "(bvult #b111 a)", "(bvult #b000 a)", "(bvult a #b001)"],
        heads: &[head(BitsOp::Ult)],
        apply: |t, _, args| {
            if is_zero(t, args[1]) || is_ones(t, args[0]) {
                return Some(t.bool(false));
            }
            if is_zero(t, args[0]) {
                let same = t.equal(args[1], args[0]);
                return Some(t.not(same));
            }
            if !is_one(t, args[1]) {
                return None;
            }
            let width = t.width(args[0]);
            let zero = t.bits(width, 0);
            Some(t.equal(args[0], zero))
        },
    },
    Rule {
        name: "at most the bounds",
        equation: "0 <= a, a <= ones are true, a <= 0 = (a = 0), ones <= a = (a = ones)",
        left: &["(bvule #b000 a)", "(bvule a #b111)", "(bvule a #b000)", "(bvule #b111 a)"],
        heads: &[head(BitsOp::Ule)],
        apply: |t, _, args| {
            if is_zero(t, args[0]) || is_ones(t, args[1]) {
                return Some(t.bool(true));
            }
            (is_zero(t, args[1]) || is_ones(t, args[0])).then(|| t.equal(args[0], args[1]))
        },
    },
    Rule {
        name: "order of extensions",
        equation: "zero_extend a < zero_extend b = a < b; likewise signed",
        left: &[
            "(bvult ((_ zero_extend 1) a) ((_ zero_extend 1) b))",
            "(bvule ((_ zero_extend 1) a) ((_ zero_extend 1) b))",
            "(bvslt ((_ sign_extend 1) a) ((_ sign_extend 1) b))",
            "(bvsle ((_ sign_extend 1) a) ((_ sign_extend 1) b))",
        ],
        heads: &[head(BitsOp::Ult), head(BitsOp::Ule), head(BitsOp::Slt), head(BitsOp::Sle)],
        apply: |t, op, args| {
            let signed = [BitsOp::Slt, BitsOp::Sle].map(Op::Bits).contains(&op);
            let strip = |t: &Terms, term: Term| match t.op(term) {
                Op::Bits(BitsOp::ZeroExtend(_)) if !signed => Some(t.args(term)[0]),
                Op::Bits(BitsOp::SignExtend(_)) if signed => Some(t.args(term)[0]),
                _ => None,
            };
            let (a, b) = (strip(t, args[0])?, strip(t, args[1])?);
            (t.sort(a) == t.sort(b)).then(|| t.make(op, &[a, b]))
        },
    },
];
