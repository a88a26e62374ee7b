//! Which queries have no arithmetic: most of a symbolic executor's.

use nanoscope_ieee::Operation;
use nanoscope_term::{BitsOp, Op, Sort, Term, Terms};

/// Whether the assertions compare, classify, select and convert nothing that
/// needs more than a few gates a bit.
pub fn is_free(terms: &Terms, assertions: &[Term]) -> bool {
    terms.below(assertions).into_iter().all(|term| match terms.op(term) {
        Op::Value(_) | Op::Variable(_) | Op::Not | Op::And | Op::Or | Op::Ite | Op::Equal => true,
        Op::Bits(op) => bits_are_cheap(op),
        Op::Float(operation, _) => is_cheap(operation),
        Op::Libm(..)
        | Op::Unspecified(_)
        | Op::Apply(_)
        | Op::Select
        | Op::Store
        | Op::ConstantArray(_) => false,
    })
}

/// Whether there are floats at all.
pub fn has_floats(terms: &Terms, assertions: &[Term]) -> bool {
    terms.below(assertions).into_iter().any(|term| matches!(terms.sort(term), Sort::Float(_)))
}

fn bits_are_cheap(op: BitsOp) -> bool {
    match op {
        BitsOp::Mul | BitsOp::Udiv | BitsOp::Urem => false,
        BitsOp::Not
        | BitsOp::Neg
        | BitsOp::And
        | BitsOp::Or
        | BitsOp::Xor
        | BitsOp::Add
        | BitsOp::Sub
        | BitsOp::Shl
        | BitsOp::Lshr
        | BitsOp::Ashr
        | BitsOp::Concat
        | BitsOp::Extract { .. }
        | BitsOp::ZeroExtend(_)
        | BitsOp::SignExtend(_)
        | BitsOp::Ult
        | BitsOp::Ule
        | BitsOp::Slt
        | BitsOp::Sle => true,
    }
}

fn is_cheap(operation: Operation) -> bool {
    match operation {
        Operation::Add
        | Operation::Sub
        | Operation::Mul
        | Operation::Div
        | Operation::Fma
        | Operation::Sqrt
        | Operation::Remainder
        | Operation::Fmod => false,
        Operation::RoundToIntegral
        | Operation::RoundToIntegralExact
        | Operation::MinNum
        | Operation::MaxNum
        | Operation::Minimum
        | Operation::Maximum
        | Operation::MinX86
        | Operation::MaxX86
        | Operation::Abs
        | Operation::Neg
        | Operation::CopySign
        | Operation::NextUp
        | Operation::NextDown
        | Operation::Identical
        | Operation::Equal
        | Operation::Less
        | Operation::LessEqual
        | Operation::Greater
        | Operation::GreaterEqual
        | Operation::Unordered
        | Operation::EqualSignaling
        | Operation::LessSignaling
        | Operation::LessEqualSignaling
        | Operation::GreaterSignaling
        | Operation::GreaterEqualSignaling
        | Operation::IsNan
        | Operation::IsSignaling
        | Operation::IsInfinite
        | Operation::IsFinite
        | Operation::IsZero
        | Operation::IsSubnormal
        | Operation::IsNormal
        | Operation::IsNegative
        | Operation::IsPositive
        | Operation::IsSignMinus
        | Operation::Convert
        | Operation::FromSigned
        | Operation::FromUnsigned
        | Operation::ToSigned
        | Operation::ToUnsigned
        | Operation::FromBits
        | Operation::ToBits => true,
    }
}
