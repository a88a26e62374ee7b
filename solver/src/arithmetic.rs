//! Which queries have no arithmetic: most of a symbolic executor's.

use nanoscope_ieee::{Operation, operations};
use nanoscope_term::{BitsOp, Op, Sort, Term, Terms, bits_ops, op_heads};

/// Whether the assertions compare, classify and convert nothing that needs more
/// than a few gates a bit, and select nothing by its order.
pub fn is_free(terms: &Terms, assertions: &[Term]) -> bool {
    terms.below(assertions).into_iter().all(|term| match terms.op(term) {
        Op::Ite | Op::Equal | op_heads!(Leaf, Connective) => true,
        Op::Bits(op) => bits_are_cheap(op),
        Op::Float(operation, _) => is_cheap(operation),
        Op::Libm(..) | op_heads!(Door) => false,
    })
}

/// Whether there are floats at all.
pub fn has_floats(terms: &Terms, assertions: &[Term]) -> bool {
    terms.below(assertions).into_iter().any(|term| matches!(terms.sort(term), Sort::Float(_)))
}

fn bits_are_cheap(op: BitsOp) -> bool {
    match op {
        BitsOp::Mul | BitsOp::Udiv | BitsOp::Urem => false,
        BitsOp::Neg | BitsOp::Add | BitsOp::Sub | bits_ops!(Logic, Shift, Slice, Compare) => true,
    }
}

fn is_cheap(operation: Operation) -> bool {
    match operation {
        operations!(Arithmetic, Remainder, Choice) => false,
        operations!(Integral, Sign, Step, Compare, Classify, Convert, Encoding) => true,
    }
}
