//! Bitwise operations on vectors, which code uses on floats: absolute values, negations,
//! signs, and choices by the masks that comparisons give.

use super::context::{Context, Unlifted, is_symbolic};
use super::symbolic_state::{Byte, Parts, Status};
use iced_x86::Mnemonic::{self, *};
use nanoscope_ieee::{Format, Operation, Word};
use nanoscope_term::{BitsOp, Op, Term, Terms, Value};

/// A bitwise function of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    And,
    /// The first negated, and the second.
    AndNot,
    Or,
    Xor,
}

/// Lifts bitwise operations and tests.
pub(super) fn lift(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    let (logic, element) = match mnemonic {
        Andps | Vandps | Pand | Vpand | Vpandd => (Logic::And, 4),
        Andpd | Vandpd | Vpandq => (Logic::And, 8),
        Andnps | Vandnps | Pandn | Vpandn | Vpandnd => (Logic::AndNot, 4),
        Andnpd | Vandnpd | Vpandnq => (Logic::AndNot, 8),
        Orps | Vorps | Por | Vpor | Vpord => (Logic::Or, 4),
        Orpd | Vorpd | Vporq => (Logic::Or, 8),
        Xorps | Vxorps | Pxor | Vpxor | Vpxord => (Logic::Xor, 4),
        Xorpd | Vxorpd | Vpxorq => (Logic::Xor, 8),
        Vpternlogd => return Some(ternary(c, 4)),
        Vpternlogq => return Some(ternary(c, 8)),
        Ptest | Vptest => return Some(test(c, None)),
        Vtestps => return Some(test(c, Some(4))),
        Vtestpd => return Some(test(c, Some(8))),
        _ => return None,
    };
    Some(binary(c, logic, element))
}

fn binary(c: &mut Context, logic: Logic, element: usize) -> Result<(), Unlifted> {
    let last = c.last();
    let size = c.size(0);
    let (a, b) = (c.vector(last - 1, size)?, c.vector(last, size)?);
    let parts = if c.is_masked_symbolically() {
        c.map(size / element, &[(&a, element), (&b, element)], element, |c, _, x| {
            let (a, b) = (c.bits(x[0]), c.bits(x[1]));
            combine(c.terms, logic, a, b)
        })
    } else {
        by_pieces(c, &[&a, &b], |c, x| combine(c.terms, logic, x[0], x[1]))
    };
    c.write_vector(0, parts, element)
}

fn ternary(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    let size = c.size(0);
    let table = c.control();
    let operands = [c.vector(0, size)?, c.vector(1, size)?, c.vector(2, size)?];
    if c.is_masked_symbolically() {
        return Err(Unlifted::Form);
    }
    let [x, y, z] = &operands;
    let parts = by_pieces(c, &[x, y, z], |c, x| {
        let low = by_table(c.terms, table & 15, x[1], x[2]);
        let high = by_table(c.terms, table >> 4, x[1], x[2]);
        let high = combine(c.terms, Logic::And, x[0], high);
        let low = combine(c.terms, Logic::AndNot, x[0], low);
        combine(c.terms, Logic::Or, high, low)
    });
    c.write_vector(0, parts, element)
}

/// The function of two whose value for bits `b`, `c` is bit `2b + c` of the table.
fn by_table(terms: &mut Terms, table: u8, b: Term, c: Term) -> Term {
    let width = terms.width(b);
    let zeros = terms.bits(width, 0);
    let row = |terms: &mut Terms, bits: u8| match bits & 3 {
        0 => zeros,
        1 => terms.bits_op(BitsOp::Not, &[c]),
        2 => c,
        _ => terms.constant(Value::Bits(Word::ones(width))),
    };
    let (low, high) = (row(terms, table), row(terms, table >> 2));
    if low == high {
        return low;
    }
    let high = combine(terms, Logic::And, b, high);
    let low = combine(terms, Logic::AndNot, b, low);
    combine(terms, Logic::Or, high, low)
}

/// Applies a bitwise function to the largest pieces that are whole terms in every operand.
fn by_pieces(
    c: &mut Context,
    operands: &[&[Byte]],
    f: impl Fn(&mut Context, &[Term]) -> Term,
) -> Parts {
    let size = operands[0].len();
    let mut result = Parts::with_capacity(size);
    let mut at = 0;
    while at < size {
        let fits = |piece: usize| {
            at % piece == 0
                && at + piece <= size
                && operands.iter().all(|bytes| is_whole(c, &bytes[at..at + piece]))
        };
        let piece = [8, 4, 2].into_iter().find(|piece| fits(*piece)).unwrap_or(1);
        if operands.iter().any(|bytes| is_symbolic(&bytes[at..at + piece])) {
            let args: Vec<Term> =
                operands.iter().map(|bytes| c.bits(&bytes[at..at + piece])).collect();
            let term = f(c, &args);
            result.extend(c.parts(term));
        } else {
            result.extend(std::iter::repeat_n(None, piece));
        }
        at += piece;
    }
    result
}

/// Whether bytes are all concrete, or one whole term.
fn is_whole(c: &Context, bytes: &[Byte]) -> bool {
    let Some(first) = bytes[0].part else { return !is_symbolic(bytes) };
    c.terms.width(first.term) as usize == 8 * bytes.len()
        && bytes.iter().enumerate().all(|(at, byte)| {
            byte.part.is_some_and(|part| part.term == first.term && part.index as usize == at)
        })
}

/// `ptest` over all bits; `vtestps` and `vtestpd` over the signs of their elements.
fn test(c: &mut Context, signs: Option<usize>) -> Result<(), Unlifted> {
    let size = c.size(0);
    let (a, b) = (c.bytes(0, size)?, c.bytes(1, size)?);
    let (mut both, mut second) = (Vec::new(), Vec::new());
    let element = signs.unwrap_or(4);
    for at in (0..size).step_by(element) {
        let (a, b) = (c.bits(&a[at..at + element]), c.bits(&b[at..at + element]));
        if signs.is_some() {
            let top = 8 * element as u32 - 1;
            let (a, b) = (c.bit_of(a, top), c.bit_of(b, top));
            let (not_a, not_both) = (c.terms.not(a), c.terms.and(&[a, b]));
            both.push(c.terms.not(not_both));
            let alone = c.terms.and(&[not_a, b]);
            second.push(c.terms.not(alone));
        } else {
            let zero = c.terms.bits(32, 0);
            let and = combine(c.terms, Logic::And, a, b);
            both.push(equal(c.terms, and, zero));
            let and_not = combine(c.terms, Logic::AndNot, a, b);
            second.push(equal(c.terms, and_not, zero));
        }
    }
    let (zero, carry) = (c.terms.and(&both), c.terms.and(&second));
    c.set_status(Status::Zero, zero);
    c.set_status(Status::Carry, carry);
    Ok(())
}

/// Whether strings are equal; a choice between known strings gives its condition.
pub(super) fn equal(terms: &mut Terms, a: Term, b: Term) -> Term {
    if let Some((condition, then, otherwise)) = choice(terms, a)
        && terms.value(b).is_some()
        && (terms.value(then).is_some() || terms.value(otherwise).is_some())
    {
        let then = equal(terms, then, b);
        let otherwise = equal(terms, otherwise, b);
        return terms.ite(condition, then, otherwise);
    }
    terms.equal(a, b)
}

/// A bitwise function of two strings, seen as what it does to floats and choices.
pub(super) fn combine(terms: &mut Terms, logic: Logic, a: Term, b: Term) -> Term {
    if logic == Logic::AndNot {
        let not_a = not(terms, a);
        return combine(terms, Logic::And, not_a, b);
    }
    let first = choice(terms, a);
    let second = choice(terms, b);
    if let (Some((p, a1, a0)), Some((q, b1, b0))) = (first, second) {
        if p == q {
            let then = combine(terms, logic, a1, b1);
            let otherwise = combine(terms, logic, a0, b0);
            return terms.ite(p, then, otherwise);
        }
        let not_q = terms.not(q);
        if p == not_q {
            let then = combine(terms, logic, a1, b0);
            let otherwise = combine(terms, logic, a0, b1);
            return terms.ite(p, then, otherwise);
        }
    }
    for ((choice, other), is_known) in [(first, b), (second, a)]
        .into_iter()
        .zip([terms.value(b), terms.value(a)].map(|v| v.is_some()))
    {
        if let Some((p, x1, x0)) = choice
            && (is_known || is_mask(terms, x1) && is_mask(terms, x0))
        {
            let then = combine(terms, logic, x1, other);
            let otherwise = combine(terms, logic, x0, other);
            return terms.ite(p, then, otherwise);
        }
    }
    if let Some(float) = on_float(terms, logic, a, b).or_else(|| on_float(terms, logic, b, a)) {
        return float;
    }
    let op = match logic {
        Logic::And => BitsOp::And,
        Logic::Or => BitsOp::Or,
        Logic::Xor => BitsOp::Xor,
        Logic::AndNot => unreachable!("written as a conjunction above"),
    };
    terms.bits_op(op, &[a, b])
}

/// The negation of a string; of a choice, a choice of negations.
fn not(terms: &mut Terms, a: Term) -> Term {
    if let Some((p, then, otherwise)) = choice(terms, a)
        && terms.value(then).is_some()
        && terms.value(otherwise).is_some()
    {
        let (then, otherwise) = (not(terms, then), not(terms, otherwise));
        return terms.ite(p, then, otherwise);
    }
    terms.bits_op(BitsOp::Not, &[a])
}

fn choice(terms: &Terms, term: Term) -> Option<(Term, Term, Term)> {
    match (terms.op(term), terms.args(term)) {
        (Op::Ite, &[p, then, otherwise]) => Some((p, then, otherwise)),
        _ => None,
    }
}

/// Whether it is all ones or all zeros.
fn is_mask(terms: &Terms, term: Term) -> bool {
    let word = terms.value(term).and_then(Value::as_bits);
    word.is_some_and(|word| word.is_zero() || *word == Word::ones(word.width()))
}

/// What a mask of the sign bit does to the encoding of a float.
fn on_float(terms: &mut Terms, logic: Logic, a: Term, b: Term) -> Option<Term> {
    let Op::Float(Operation::ToBits, parameters) = terms.op(a) else { return None };
    let format = parameters.format;
    let float = terms.args(a)[0];
    let changed = if let Some(mask) = terms.value(b).and_then(Value::as_bits) {
        let sign = sign_mask(format);
        let magnitude = Word::run(format.width(), 0, format.width() - 1);
        match logic {
            Logic::And if *mask == magnitude => terms.fp(Operation::Abs, &[float]),
            Logic::Xor if *mask == sign => terms.fp(Operation::Neg, &[float]),
            Logic::Or if *mask == sign => {
                let magnitude = terms.fp(Operation::Abs, &[float]);
                terms.fp(Operation::Neg, &[magnitude])
            }
            Logic::And | Logic::AndNot | Logic::Or | Logic::Xor => return None,
        }
    } else {
        let signed = sign_of(terms, format, b)?;
        match logic {
            // The magnitude of one, the sign of another.
            Logic::Or if is_magnitude(terms, float) => {
                terms.fp(Operation::CopySign, &[float, signed])
            }
            // Negated where another is negative.
            Logic::Xor => {
                let negative = terms.fp(Operation::IsNegative, &[signed]);
                let opposite = terms.fp(Operation::Neg, &[float]);
                terms.ite(negative, opposite, float)
            }
            Logic::And | Logic::AndNot | Logic::Or => return None,
        }
    };
    Some(terms.fp(Operation::ToBits, &[changed]))
}

fn is_magnitude(terms: &Terms, float: Term) -> bool {
    matches!(terms.op(float), Op::Float(Operation::Abs, _))
}

fn sign_mask(format: Format) -> Word {
    Word::run(format.width(), format.width() - 1, 1)
}

/// The float whose sign bit alone a string has.
fn sign_of(terms: &Terms, format: Format, term: Term) -> Option<Term> {
    if terms.op(term) != Op::Bits(BitsOp::And) {
        return None;
    }
    let &[a, b] = terms.args(term) else { return None };
    let masks = |mask: Term| terms.value(mask) == Some(&Value::Bits(sign_mask(format)));
    let encoded = if masks(a) { b } else { masks(b).then_some(a)? };
    match terms.op(encoded) {
        Op::Float(Operation::ToBits, found) if found.format == format => {
            Some(terms.args(encoded)[0])
        }
        _ => None,
    }
}
