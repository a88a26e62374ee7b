//! Normal form of doubling and halving: a product with a power of two.

use super::float::is;
use super::{Rule, float_head};
use crate::{Term, Terms, Value};
use nanoscope_ieee::{Float, Format, Operation, Word};
use num_bigint::BigUint;

/// The exponent, if the term is a known positive power of two.
fn exponent(terms: &Terms, term: Term) -> Option<i64> {
    let (format, bits) = terms.value(term)?.as_float()?;
    let (negative, significand, exponent) = Float::from_word(format, bits.clone()).to_parts()?;
    let trailing = significand.trailing_zeros()?;
    (!negative && significand.bits() == trailing + 1).then_some(exponent + trailing as i64)
}

/// Two to the power of `exponent`, if the format has it.
fn power(terms: &mut Terms, format: Format, exponent: i64) -> Option<Term> {
    let range = format.quantum_exponent()..=format.max_exponent();
    if format.explicit_integer_bit || !range.contains(&exponent) {
        return None;
    }
    let bits = if exponent >= format.min_exponent() {
        BigUint::from((exponent + format.max_exponent()) as u64) << format.fraction_bits()
    } else {
        BigUint::from(1u32) << (exponent - format.quantum_exponent())
    };
    Some(terms.constant(Value::float(format, Word::from_big(format.width(), &bits))))
}

/// The exponent and the other factor, if the term is a product with a power of two.
fn scaled(terms: &Terms, term: Term) -> Option<(i64, Term, Term)> {
    let args = is(terms, term, Operation::Mul)?;
    let at = [1, 2].into_iter().find(|at| exponent(terms, args[*at]).is_some())?;
    Some((exponent(terms, args[at])?, args[0], args[3 - at]))
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "quotient by a power of two as product",
        equation: "x / 2^k = x * 2^-k",
        left: &["(fp.div m x ((_ to_fp 2 3) RNE 2.0))", "(fp.div m x ((_ to_fp 2 3) RNE 0.5))"],
        heads: &[float_head(Operation::Div)],
        apply: |t, _, args| {
            let exponent = exponent(t, args[2])?;
            let inverse = power(t, t.format(args[1]), -exponent)?;
            Some(t.fp(Operation::Mul, &[args[0], args[1], inverse]))
        },
    },
    Rule {
        name: "sum with itself as product",
        equation: "x + x = x * 2",
        left: &["(fp.add m x x)"],
        heads: &[float_head(Operation::Add)],
        apply: |t, _, args| {
            if args[1] != args[2] {
                return None;
            }
            let two = power(t, t.format(args[1]), 1)?;
            Some(t.fp(Operation::Mul, &[args[0], args[1], two]))
        },
    },
    Rule {
        name: "doubled again",
        equation: "(x * 2^j) * 2^k = x * 2^(j + k), rounded alike, for j, k >= 0",
        left: &["(fp.mul m (fp.mul m u ((_ to_fp 3 4) RNE 2.0)) ((_ to_fp 3 4) RNE 4.0))"],
        heads: &[float_head(Operation::Mul)],
        apply: |t, _, args| {
            let at = [1, 2].into_iter().find(|at| exponent(t, args[*at]).is_some())?;
            let outer = exponent(t, args[at])?;
            let (inner, rounding, other) = scaled(t, args[3 - at])?;
            if rounding != args[0] || inner < 0 || outer < 0 {
                return None;
            }
            let factor = power(t, t.format(other), inner + outer)?;
            Some(t.fp(Operation::Mul, &[rounding, other, factor]))
        },
    },
    Rule {
        name: "fused sum with a factor of one",
        equation: "1 * x + y = x + y, rounded once",
        left: &["(fp.fma m ((_ to_fp 2 3) RNE 1.0) x y)", "(fp.fma m x ((_ to_fp 2 3) RNE 1.0) y)"],
        heads: &[float_head(Operation::Fma)],
        apply: |t, _, args| {
            let at = [1, 2].into_iter().find(|at| exponent(t, args[*at]) == Some(0))?;
            Some(t.fp(Operation::Add, &[args[0], args[3 - at], args[3]]))
        },
    },
];
