//! Bit strings compared as polynomials modulo a power of two: both sides are written as sums of
//! products of what is no sum or product itself, and their difference tells.

use super::Rule;
use crate::{BitsOp, Op, Term, Terms, Value, bits_ops};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// What polynomials are made of: natural numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    /// The value of a term.
    Term(Term),
    /// Two to the power of a term's value.
    Power(Term),
    /// The bits that all of these have, in the order of their terms.
    Common(Vec<Term>),
}

/// Coefficients of products of atoms, modulo two to the power of a width.
type Polynomial = BTreeMap<Vec<Atom>, u128>;

/// Terms that are looked into.
const MOST_TERMS: u32 = 64;
/// Products in a polynomial.
const MOST_PRODUCTS: usize = 64;

/// The coefficient as it is modulo two to the power of `width`.
fn reduced(coefficient: u128, width: u32) -> u128 {
    coefficient & (u128::MAX >> (128 - width))
}

fn known(coefficient: u128, width: u32) -> Polynomial {
    let coefficient = reduced(coefficient, width);
    if coefficient == 0 { Polynomial::new() } else { [(Vec::new(), coefficient)].into() }
}

fn atom(atom: Atom) -> Polynomial {
    [(vec![atom], 1)].into()
}

/// `a + factor * b`.
fn plus(mut a: Polynomial, factor: u128, b: &Polynomial, width: u32) -> Option<Polynomial> {
    for (product, coefficient) in b {
        let entry = a.entry(product.clone()).or_default();
        *entry = reduced(entry.wrapping_add(factor.wrapping_mul(*coefficient)), width);
        if *entry == 0 {
            a.remove(product);
        }
    }
    (a.len() <= MOST_PRODUCTS).then_some(a)
}

fn times(a: &Polynomial, b: &Polynomial, width: u32) -> Option<Polynomial> {
    let mut all = Polynomial::new();
    for (product, coefficient) in a {
        let mut scaled = Polynomial::new();
        for (other, factor) in b {
            let mut joint = product.clone();
            joint.extend(other.iter().cloned());
            joint.sort_unstable();
            // Different products stay different when multiplied by the same.
            scaled.insert(joint, *factor);
        }
        all = plus(all, *coefficient, &scaled, width)?;
    }
    Some(all)
}

const MINUS_ONE: u128 = u128::MAX;

/// Reads terms as polynomials; none where that would be too long.
struct Reading<'t> {
    terms: &'t mut Terms,
    left: u32,
}

impl Reading<'_> {
    /// A term's value as a natural number.
    fn natural(&mut self, term: Term, width: u32) -> Polynomial {
        if let Some(word) = self.terms.value(term).and_then(Value::as_bits) {
            // Bits above the width do not count.
            let mut digits = word.to_big().to_u64_digits();
            digits.resize(2, 0);
            return known((digits[1] as u128) << 64 | digits[0] as u128, width);
        }
        match self.terms.op(term) {
            Op::Bits(BitsOp::ZeroExtend(_)) => atom(Atom::Term(self.terms.args(term)[0])),
            // Anything else is what it is.
            _ => atom(Atom::Term(term)),
        }
    }

    /// A term's low `width` bits.
    fn read(&mut self, term: Term, width: u32) -> Option<Polynomial> {
        self.left = self.left.checked_sub(1)?;
        if self.terms.value(term).is_some() || self.terms.width(term) < width {
            return Some(self.natural(term, width));
        }
        let Op::Bits(op) = self.terms.op(term) else { return Some(self.natural(term, width)) };
        let args = self.terms.args(term).to_vec();
        match op {
            BitsOp::Add => self.sum(&args, 1, width),
            BitsOp::Sub => self.sum(&args, MINUS_ONE, width),
            BitsOp::Neg => {
                let a = self.read(args[0], width)?;
                plus(Polynomial::new(), MINUS_ONE, &a, width)
            }
            // All bits flipped: -a - 1.
            BitsOp::Not => {
                let a = self.read(args[0], width)?;
                plus(known(MINUS_ONE, width), MINUS_ONE, &a, width)
            }
            BitsOp::Mul => {
                let (a, b) = (self.read(args[0], width)?, self.read(args[1], width)?);
                times(&a, &b, width)
            }
            // A sum counts the common bits twice.
            BitsOp::Or | BitsOp::Xor => {
                let sum = self.sum(&args, 1, width)?;
                let twice = if op == BitsOp::Or { MINUS_ONE } else { MINUS_ONE - 1 };
                plus(sum, twice, &self.common(&args), width)
            }
            BitsOp::And => Some(self.common(&args)),
            // a - b * (a / b), for b = 0 too.
            BitsOp::Urem => {
                let quotient = self.terms.bits_op(BitsOp::Udiv, &args);
                let (a, b) = (self.read(args[0], width)?, self.read(args[1], width)?);
                let quotient = self.read(quotient, width)?;
                plus(a, MINUS_ONE, &times(&b, &quotient, width)?, width)
            }
            BitsOp::Shl => {
                let a = self.read(args[0], width)?;
                let amount = self
                    .terms
                    .value(args[1])
                    .and_then(Value::as_bits)
                    .map(|word| word.to_big().to_u32().unwrap_or(u32::MAX));
                let power = match amount {
                    Some(amount) => known(1u128.checked_shl(amount).unwrap_or(0), width),
                    None => atom(Atom::Power(args[1])),
                };
                times(&a, &power, width)
            }
            BitsOp::Concat => {
                let low = self.terms.width(args[1]);
                if low >= width {
                    return self.read(args[1], width);
                }
                let (high, low_bits) =
                    (self.read(args[0], width - low)?, self.natural(args[1], width));
                plus(low_bits, 1 << low, &high, width)
            }
            BitsOp::Extract { low: 0, .. } => self.read(args[0], width),
            BitsOp::ZeroExtend(_) | BitsOp::SignExtend(_) if self.terms.width(args[0]) >= width => {
                self.read(args[0], width)
            }
            BitsOp::Udiv | BitsOp::Lshr | BitsOp::Ashr => Some(self.natural(term, width)),
            BitsOp::Extract { .. } | bits_ops!(Extend, Compare) => Some(self.natural(term, width)),
        }
    }

    /// The first and so often the second.
    fn sum(&mut self, args: &[Term], often: u128, width: u32) -> Option<Polynomial> {
        let (a, b) = (self.read(args[0], width)?, self.read(args[1], width)?);
        plus(a, often, &b, width)
    }

    /// The bits that all have.
    fn common(&mut self, args: &[Term]) -> Polynomial {
        let mut all: Vec<Term> = Vec::new();
        for arg in args {
            if self.terms.op(*arg) == Op::Bits(BitsOp::And) {
                all.extend_from_slice(self.terms.args(*arg));
            } else {
                all.push(*arg);
            }
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [only] => atom(Atom::Term(only)),
            _ => atom(Atom::Common(all)),
        }
    }
}

/// Whether a polynomial may tell more about a term than the term does.
fn computes(terms: &Terms, term: Term) -> bool {
    match terms.op(term) {
        Op::Bits(BitsOp::Add | BitsOp::Sub | BitsOp::Neg | BitsOp::Mul | BitsOp::Urem) => true,
        Op::Bits(BitsOp::Not | BitsOp::Or | BitsOp::Xor | BitsOp::Shl) => true,
        Op::Bits(BitsOp::Extract { low: 0, .. }) => computes(terms, terms.args(term)[0]),
        // Anything else is an atom.
        _ => false,
    }
}

/// The difference of two bit strings.
fn difference(terms: &mut Terms, a: Term, b: Term) -> Option<Polynomial> {
    if !computes(terms, a) && !computes(terms, b) {
        return None;
    }
    let width = terms.width(a);
    if width > 128 {
        return None;
    }
    let mut reading = Reading { terms, left: MOST_TERMS };
    let (a, b) = (reading.read(a, width)?, reading.read(b, width)?);
    plus(a, MINUS_ONE, &b, width)
}

/// Whether a polynomial is zero for all values, or for none; none if neither is seen.
fn vanishes(mut polynomial: Polynomial) -> Option<bool> {
    let rest = polynomial.remove(&Vec::new()).unwrap_or(0);
    let step = polynomial.values().map(|coefficient| coefficient.trailing_zeros()).min();
    match step {
        None => Some(rest == 0),
        // All that is added to the rest is a multiple of a power of two that the rest is not.
        Some(step) => (rest != 0 && rest.trailing_zeros() < step).then_some(false),
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "equal polynomials",
        equation: "a = b is true if a - b is 0 as a polynomial, false if it is never 0",
        left: &[
            "(= (bvmul a (bvadd a b)) (bvadd (bvmul a a) (bvmul b a)))",
            "(= (bvsub a (bvnot b)) (bvadd (bvadd a b) #b001))",
            "(= (bvadd (bvand a b) (bvor a b)) (bvadd a b))",
            "(= (bvadd (bvxor a b) (bvmul #b010 (bvand b a))) (bvadd b a))",
            "(= (bvmul (bvshl a b) b) (bvshl (bvmul b a) b))",
            "(= (bvadd (bvmul (bvudiv a b) b) (bvurem a b)) a)",
            "(= ((_ extract 1 0) (bvmul c c)) (bvmul ((_ extract 1 0) c) ((_ extract 1 0) c)))",
            "(= (bvmul #b010 a) (bvadd (bvadd b b) #b001))",
            "(= (concat ((_ extract 1 0) a) #b0) (bvadd a a))",
            "(= (concat d #b11) (bvadd #xb (bvshl ((_ zero_extend 2) d) #x2)))",
            "(= (bvmul ((_ zero_extend 1) a) #x2) (bvadd ((_ sign_extend 2) d) (bvnot ((_ sign_extend 2) d))))",
        ],
        heads: &[Op::Equal],
        apply: |t, _, args| {
            if !matches!(t.sort(args[0]), crate::Sort::Bits(_)) {
                return None;
            }
            let equal = vanishes(difference(t, args[0], args[1])?)?;
            Some(t.bool(equal))
        },
    },
    Rule {
        name: "order of equal polynomials",
        equation: "a < b is false and a <= b is true if a - b is 0 as a polynomial",
        left: &[
            "(bvult (bvadd a b) (bvsub b (bvneg a)))",
            "(bvule (bvmul (bvneg a) b) (bvneg (bvmul b a)))",
            "(bvslt (bvnot a) (bvsub (bvneg a) #b001))",
            "(bvsle (bvadd a (bvadd a a)) (bvmul a #b011))",
        ],
        heads: &[
            Op::Bits(BitsOp::Ult),
            Op::Bits(BitsOp::Ule),
            Op::Bits(BitsOp::Slt),
            Op::Bits(BitsOp::Sle),
        ],
        apply: |t, op, args| {
            let strict = [BitsOp::Ult, BitsOp::Slt].map(Op::Bits).contains(&op);
            let equal = vanishes(difference(t, args[0], args[1])?)?;
            equal.then(|| t.bool(!strict))
        },
    },
];
