//! Integer arithmetic on vectors, as far as code uses it on floats and masks.

use super::context::{Context, Unlifted, is_symbolic};
use super::float::to_mask;
use super::symbolic_state::Parts;
use iced_x86::Mnemonic::{self, *};
use iced_x86::OpKind;
use nanoscope_ieee::Word;
use nanoscope_term::{BitsOp, Term, Value};

/// A function of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lanes {
    Bits(BitsOp),
    /// All ones where equal.
    Equal,
    /// All ones where greater, signed.
    Greater,
    Min(BitsOp),
    Max(BitsOp),
    /// The product of the low halves, extended so.
    Halves(bool),
}

/// Lifts integer arithmetic on vectors.
pub(super) fn lift(c: &mut Context, mnemonic: Mnemonic) -> Option<Result<(), Unlifted>> {
    let (element, lanes) = match mnemonic {
        Paddb | Vpaddb => (1, Lanes::Bits(BitsOp::Add)),
        Paddw | Vpaddw => (2, Lanes::Bits(BitsOp::Add)),
        Paddd | Vpaddd => (4, Lanes::Bits(BitsOp::Add)),
        Paddq | Vpaddq => (8, Lanes::Bits(BitsOp::Add)),
        Psubb | Vpsubb => (1, Lanes::Bits(BitsOp::Sub)),
        Psubw | Vpsubw => (2, Lanes::Bits(BitsOp::Sub)),
        Psubd | Vpsubd => (4, Lanes::Bits(BitsOp::Sub)),
        Psubq | Vpsubq => (8, Lanes::Bits(BitsOp::Sub)),
        Pmullw | Vpmullw => (2, Lanes::Bits(BitsOp::Mul)),
        Pmulld | Vpmulld => (4, Lanes::Bits(BitsOp::Mul)),
        Vpmullq => (8, Lanes::Bits(BitsOp::Mul)),
        Pmuludq | Vpmuludq => (8, Lanes::Halves(false)),
        Pmuldq | Vpmuldq => (8, Lanes::Halves(true)),
        Vpsllvw => (2, Lanes::Bits(BitsOp::Shl)),
        Vpsllvd => (4, Lanes::Bits(BitsOp::Shl)),
        Vpsllvq => (8, Lanes::Bits(BitsOp::Shl)),
        Vpsrlvw => (2, Lanes::Bits(BitsOp::Lshr)),
        Vpsrlvd => (4, Lanes::Bits(BitsOp::Lshr)),
        Vpsrlvq => (8, Lanes::Bits(BitsOp::Lshr)),
        Vpsravw => (2, Lanes::Bits(BitsOp::Ashr)),
        Vpsravd => (4, Lanes::Bits(BitsOp::Ashr)),
        Vpsravq => (8, Lanes::Bits(BitsOp::Ashr)),
        Pcmpeqb | Vpcmpeqb => (1, Lanes::Equal),
        Pcmpeqw | Vpcmpeqw => (2, Lanes::Equal),
        Pcmpeqd | Vpcmpeqd => (4, Lanes::Equal),
        Pcmpeqq | Vpcmpeqq => (8, Lanes::Equal),
        Pcmpgtb | Vpcmpgtb => (1, Lanes::Greater),
        Pcmpgtw | Vpcmpgtw => (2, Lanes::Greater),
        Pcmpgtd | Vpcmpgtd => (4, Lanes::Greater),
        Pcmpgtq | Vpcmpgtq => (8, Lanes::Greater),
        Pminsb | Vpminsb => (1, Lanes::Min(BitsOp::Slt)),
        Pminsw | Vpminsw => (2, Lanes::Min(BitsOp::Slt)),
        Pminsd | Vpminsd => (4, Lanes::Min(BitsOp::Slt)),
        Vpminsq => (8, Lanes::Min(BitsOp::Slt)),
        Pminub | Vpminub => (1, Lanes::Min(BitsOp::Ult)),
        Pminuw | Vpminuw => (2, Lanes::Min(BitsOp::Ult)),
        Pminud | Vpminud => (4, Lanes::Min(BitsOp::Ult)),
        Vpminuq => (8, Lanes::Min(BitsOp::Ult)),
        Pmaxsb | Vpmaxsb => (1, Lanes::Max(BitsOp::Slt)),
        Pmaxsw | Vpmaxsw => (2, Lanes::Max(BitsOp::Slt)),
        Pmaxsd | Vpmaxsd => (4, Lanes::Max(BitsOp::Slt)),
        Vpmaxsq => (8, Lanes::Max(BitsOp::Slt)),
        Pmaxub | Vpmaxub => (1, Lanes::Max(BitsOp::Ult)),
        Pmaxuw | Vpmaxuw => (2, Lanes::Max(BitsOp::Ult)),
        Pmaxud | Vpmaxud => (4, Lanes::Max(BitsOp::Ult)),
        Vpmaxuq => (8, Lanes::Max(BitsOp::Ult)),
        Psllw | Vpsllw => return Some(shift(c, 2, BitsOp::Shl)),
        Pslld | Vpslld => return Some(shift(c, 4, BitsOp::Shl)),
        Psllq | Vpsllq => return Some(shift(c, 8, BitsOp::Shl)),
        Psrlw | Vpsrlw => return Some(shift(c, 2, BitsOp::Lshr)),
        Psrld | Vpsrld => return Some(shift(c, 4, BitsOp::Lshr)),
        Psrlq | Vpsrlq => return Some(shift(c, 8, BitsOp::Lshr)),
        Psraw | Vpsraw => return Some(shift(c, 2, BitsOp::Ashr)),
        Psrad | Vpsrad => return Some(shift(c, 4, BitsOp::Ashr)),
        Vpsraq => return Some(shift(c, 8, BitsOp::Ashr)),
        Pabsb | Vpabsb => return Some(magnitude(c, 1)),
        Pabsw | Vpabsw => return Some(magnitude(c, 2)),
        Pabsd | Vpabsd => return Some(magnitude(c, 4)),
        Vpabsq => return Some(magnitude(c, 8)),
        Packsswb | Vpacksswb => return Some(pack(c, 2, true)),
        Packssdw | Vpackssdw => return Some(pack(c, 4, true)),
        Packuswb | Vpackuswb => return Some(pack(c, 2, false)),
        Packusdw | Vpackusdw => return Some(pack(c, 4, false)),
        Vpcmpd => return Some(compare(c, 4, true)),
        Vpcmpq => return Some(compare(c, 8, true)),
        Vpcmpud => return Some(compare(c, 4, false)),
        Vpcmpuq => return Some(compare(c, 8, false)),
        Vptestmd => return Some(test(c, 4, true)),
        Vptestmq => return Some(test(c, 8, true)),
        Vptestnmd => return Some(test(c, 4, false)),
        Vptestnmq => return Some(test(c, 8, false)),
        _ => return None,
    };
    Some(binary(c, element, lanes))
}

/// MMX registers are not modelled.
fn is_vector(c: &Context) -> bool {
    c.instruction.op0_kind() == OpKind::Register
        && (c.instruction.op0_register().is_vector_register()
            || c.instruction.op0_register().is_k())
}

fn binary(c: &mut Context, element: usize, lanes: Lanes) -> Result<(), Unlifted> {
    if !is_vector(c) {
        return Err(Unlifted::Form);
    }
    let last = c.last();
    let width = 8 * element as u32;
    if c.instruction.op0_register().is_k() {
        let size = c.size(1);
        let (a, b) = (c.vector(1, size)?, c.vector(2, size)?);
        return to_mask(c, size / element, &[(&a, element), (&b, element)], |c, x| {
            let (a, b) = (c.bits(x[0]), c.bits(x[1]));
            match lanes {
                Lanes::Equal => c.terms.equal(a, b),
                _ => c.terms.bits_op(BitsOp::Slt, &[b, a]),
            }
        });
    }
    let size = c.size(0);
    let (a, b) = (c.vector(last - 1, size)?, c.vector(last, size)?);
    let parts = c.map(size / element, &[(&a, element), (&b, element)], element, |c, _, x| {
        let (a, b) = (c.bits(x[0]), c.bits(x[1]));
        match lanes {
            Lanes::Bits(op) => c.terms.bits_op(op, &[a, b]),
            Lanes::Equal => {
                let equal = c.terms.equal(a, b);
                c.filled(width, equal)
            }
            Lanes::Greater => {
                let greater = c.terms.bits_op(BitsOp::Slt, &[b, a]);
                c.filled(width, greater)
            }
            Lanes::Min(less) => {
                let less = c.terms.bits_op(less, &[a, b]);
                c.terms.ite(less, a, b)
            }
            Lanes::Max(less) => {
                let less = c.terms.bits_op(less, &[a, b]);
                c.terms.ite(less, b, a)
            }
            Lanes::Halves(signed) => {
                let extend = if signed { BitsOp::SignExtend(32) } else { BitsOp::ZeroExtend(32) };
                let halves = [a, b].map(|whole| {
                    let low = c.terms.extract(31, 0, whole);
                    c.terms.bits_op(extend, &[low])
                });
                c.terms.bits_op(BitsOp::Mul, &halves)
            }
        }
    });
    c.write_vector(0, parts, element)
}

/// A shift of all elements by an immediate or by the low 8 bytes of a vector.
fn shift(c: &mut Context, element: usize, op: BitsOp) -> Result<(), Unlifted> {
    if !is_vector(c) {
        return Err(Unlifted::Form);
    }
    let size = c.size(0);
    let all = c.instruction.op_count();
    let is_immediate = c.instruction.op_kind(all - 1) == OpKind::Immediate8;
    let (source, count) = if is_immediate {
        (c.last(), u64::from(c.control()))
    } else {
        let count = c.bytes(c.last(), 16)?;
        if is_symbolic(&count[..8]) {
            return Err(Unlifted::Form);
        }
        let count = count[..8].iter().rev().fold(0, |all, byte| all << 8 | u64::from(byte.known));
        (c.last() - 1, count)
    };
    let source = c.vector(source, size)?;
    let width = 8 * element as u32;
    let parts = c.map(size / element, &[(&source, element)], element, |c, _, x| {
        let a = c.bits(x[0]);
        let count = c.terms.bits(width, u128::from(count.min(u64::from(width))));
        c.terms.bits_op(op, &[a, count])
    });
    c.write_vector(0, parts, element)
}

fn magnitude(c: &mut Context, element: usize) -> Result<(), Unlifted> {
    if !is_vector(c) {
        return Err(Unlifted::Form);
    }
    let size = c.size(0);
    let source = c.vector(1, size)?;
    let parts = c.map(size / element, &[(&source, element)], element, |c, _, x| {
        let a = c.bits(x[0]);
        let negative = c.terms.sign(a);
        let opposite = c.terms.bits_op(BitsOp::Neg, &[a]);
        c.terms.ite(negative, opposite, a)
    });
    c.write_vector(0, parts, element)
}

/// Signed elements of both sources, saturated to half their size.
fn pack(c: &mut Context, element: usize, signed: bool) -> Result<(), Unlifted> {
    if !is_vector(c) {
        return Err(Unlifted::Form);
    }
    let (last, size) = (c.last(), c.size(0));
    let (a, b) = (c.vector(last - 1, size)?, c.vector(last, size)?);
    let (width, half) = (8 * element as u32, 4 * element as u32);
    if c.is_masked_symbolically() {
        return Err(Unlifted::Form);
    }
    let known = |c: &mut Context, value: i64| c.terms.bits(width, value as u128);
    let (least, greatest) = match signed {
        true => (-(1i64 << (half - 1)), (1i64 << (half - 1)) - 1),
        false => (0, (1i64 << half) - 1),
    };
    let mut parts = Parts::new();
    for block in (0..size).step_by(16) {
        for source in [&a, &b] {
            for at in (block..block + 16).step_by(element) {
                let bytes = &source[at..at + element];
                if !is_symbolic(bytes) {
                    parts.extend(std::iter::repeat_n(None, element / 2));
                    continue;
                }
                let value = c.bits(bytes);
                let low = known(c, least);
                let high = known(c, greatest);
                let below = c.terms.bits_op(BitsOp::Slt, &[value, low]);
                let above = c.terms.bits_op(BitsOp::Slt, &[high, value]);
                let [value, low, high] =
                    [value, low, high].map(|term| c.terms.extract(half - 1, 0, term));
                let capped = c.terms.ite(above, high, value);
                let packed = c.terms.ite(below, low, capped);
                parts.extend(c.parts(packed));
            }
        }
    }
    c.write_vector(0, parts, element / 2)
}

/// `vpcmpd` and its like: a predicate by its number, to a mask register.
fn compare(c: &mut Context, element: usize, signed: bool) -> Result<(), Unlifted> {
    let size = c.size(1);
    let number = c.control() & 7;
    let (a, b) = (c.vector(1, size)?, c.vector(2, size)?);
    let (less, at_most) =
        if signed { (BitsOp::Slt, BitsOp::Sle) } else { (BitsOp::Ult, BitsOp::Ule) };
    to_mask(c, size / element, &[(&a, element), (&b, element)], |c, x| {
        let (a, b) = (c.bits(x[0]), c.bits(x[1]));
        let holds: Term = match number & 3 {
            0 => c.terms.equal(a, b),
            1 => c.terms.bits_op(less, &[a, b]),
            2 => c.terms.bits_op(at_most, &[a, b]),
            _ => c.terms.bool(false),
        };
        if number & 4 == 0 { holds } else { c.terms.not(holds) }
    })
}

/// Whether elements have common bits, to a mask register.
fn test(c: &mut Context, element: usize, any: bool) -> Result<(), Unlifted> {
    let size = c.size(1);
    let (a, b) = (c.vector(1, size)?, c.vector(2, size)?);
    to_mask(c, size / element, &[(&a, element), (&b, element)], |c, x| {
        let (a, b) = (c.bits(x[0]), c.bits(x[1]));
        let both = super::logic::combine(c.terms, super::logic::Logic::And, a, b);
        let zero = c.terms.constant(Value::Bits(Word::zero(8 * element as u32)));
        let none = c.terms.equal(both, zero);
        if any { c.terms.not(none) } else { none }
    })
}
