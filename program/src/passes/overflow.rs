//! Integer overflow in code: how far arithmetic is from it, and a check before it.
//!
//! No hardware trap tells of an integer that wraps, so a finding is confirmed as sanitizers
//! do: the original program, compiled with the user's flags, with a check before each of the
//! operations asked about that calls `nanoscope_overflowed` and then goes on as written.

use crate::goal::integer::{Arithmetic, IntegerArithmetic};
use crate::goal::site::{Action, Found};
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Value};

/// The distance from a result that does not fit, as a 128-bit integer without a sign: 0, it
/// does not. `values` begin with the operands.
pub(crate) fn margin(
    module: &Module,
    b: &Builder,
    arithmetic: IntegerArithmetic,
    values: &[Value],
) -> Value {
    let wide = module.integer(128);
    let operand = |i: usize| {
        if arithmetic.reads_signed() {
            b.resize_signed(values[i], wide)
        } else {
            b.resize(values[i], wide)
        }
    };
    let exact = match arithmetic.operation {
        Arithmetic::Add => b.add(operand(0), operand(1)),
        Arithmetic::Sub => b.sub(operand(0), operand(1)),
        Arithmetic::Mul => b.binary(Opcode::LLVMMul, operand(0), operand(1)),
        Arithmetic::Narrow { .. } => operand(0),
    };
    let (least, greatest) = arithmetic.limits();
    let constant = |value: i128| match value {
        0.. => wide.constant(value as u64),
        _ => wide.negative_constant(value as i64),
    };
    // How far from either end, beginning with 1; 0 or less is beyond it.
    let one = wide.constant(1);
    let below = b.add(b.sub(exact, constant(least)), one);
    let above = b.add(b.sub(constant(greatest), exact), one);
    let positive = |x: Value| {
        let beyond = b.compare(IntPredicate::LLVMIntSLT, x, one);
        b.select(beyond, wide.zero(), x)
    };
    match (arithmetic.operation, arithmetic.signed) {
        (Arithmetic::Sub, false) => positive(below),
        // A product may need all bits, the sign's too.
        (Arithmetic::Add | Arithmetic::Mul, false) => {
            let beyond = b.compare(IntPredicate::LLVMIntUGT, exact, constant(greatest));
            b.select(beyond, wide.zero(), above)
        }
        (Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul, true)
        | (Arithmetic::Narrow { .. }, _) => {
            let less = b.compare(IntPredicate::LLVMIntSLT, below, above);
            positive(b.select(less, below, above))
        }
    }
}

/// Puts a check before every integer operation that is a site.
pub(crate) fn check(module: &Module, sites: &[Found]) {
    let b = Builder::new(module);
    let (number_type, word) = (module.integer(32), module.integer(64));
    let ty = module.function_type(module.void(), &[number_type, word, word]);
    let overflowed = module.add_function("nanoscope_overflowed", ty);
    for (number, found) in sites.iter().enumerate() {
        let Action::Integer(arithmetic) = found.action else { continue };
        let instruction = found.instruction;
        let operands: Vec<Value> =
            (0..arithmetic.operands() as u32).map(|i| instruction.operand(i)).collect();
        b.before(instruction);
        let margin = margin(module, &b, arithmetic, &operands);
        let beyond = b.compare(IntPredicate::LLVMIntEQ, margin, module.integer(128).zero());
        let rest = b.split_before(instruction);
        let rare = module.add_block(rest.function(), "overflows");
        b.branch_rarely(beyond, rare, rest);
        b.at_end(rare);
        let mut arguments = vec![number_type.constant(number as u64)];
        arguments.extend(operands.iter().map(|operand| b.resize(*operand, word)));
        arguments.resize(3, word.zero());
        b.call(overflowed, &arguments);
        b.jump(rest);
    }
}
