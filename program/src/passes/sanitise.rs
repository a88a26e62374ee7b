//! Sanitising what no front end of clang's has compiled: bitcode that a user hands in, and
//! Fortran.
//!
//! AddressSanitizer looks only at functions with an attribute, which clang gives them when it is
//! told to sanitise; and UndefinedBehaviorSanitizer's checks are written by clang. Here functions
//! get the attribute, and shifts and unreachable places checks of our own, which tell the runtime
//! (`runtime/test.c`) and then go on as written. Integer divisions trap by themselves.

use super::shifts;
use crate::Fault;
use crate::llvm::{Builder, IntPredicate, Module, Opcode, TypeKind, Value};
use std::path::Path;

/// What AddressSanitizer looks for.
const ATTRIBUTE: &str = "sanitize_address";

/// Writes the bitcode of `from` to `to`, sanitised. What was compiled with AddressSanitizer
/// already is left to it.
pub(crate) fn sanitise(from: &Path, to: &Path) -> Result<(), Fault> {
    let module = Module::read(from)?;
    let bodies = || module.functions().into_iter().filter(|function| !function.is_declaration());
    if !bodies().any(|function| function.has_attribute(ATTRIBUTE)) {
        for function in bodies().filter(|function| !function.has_attribute("naked")) {
            function.set_attribute(ATTRIBUTE);
        }
    }
    shifts::settle(&module, true);
    for function in bodies() {
        check(&module, function);
    }
    module.verify()?;
    module.write(to)
}

/// Puts checks into a function.
fn check(module: &Module, function: Value) {
    let nothing = module.function_type(module.void(), &[]);
    let builder = Builder::new(module);
    let all = function.blocks().into_iter().flat_map(|block| block.instructions());
    for instruction in all.collect::<Vec<Value>>() {
        match instruction.opcode() {
            Some(Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr) => {
                let Some(beyond) = too_far(module, &builder, instruction) else { continue };
                let tell = module.add_function("nanoscope_overshift", nothing);
                let rest = builder.split_before(instruction);
                let rare = module.add_block(rest.function(), "overshift");
                builder.branch_rarely(beyond, rare, rest);
                builder.at_end(rare);
                builder.place_as(instruction);
                builder.call(tell, &[]);
                builder.jump(rest);
            }
            Some(Opcode::LLVMUnreachable) => {
                let tell = module.add_function("nanoscope_unreachable", nothing);
                builder.before(instruction);
                builder.place_as(instruction);
                builder.call(tell, &[]);
            }
            Some(_) | None => {}
        }
    }
}

/// Whether a shift is by as many bits as its operand has, or more, in any lane; nothing where
/// a constant says that it is not. The builder stands before it then.
fn too_far(module: &Module, builder: &Builder, shift: Value) -> Option<Value> {
    let amount = shift.operand(1);
    let (bits, lanes) = match amount.ty().kind() {
        TypeKind::Integer(bits) => (bits, None),
        TypeKind::Vector(_, lanes) => (module.size_of(amount.ty()) as u32 * 8 / lanes, Some(lanes)),
        _ => return None,
    };
    if amount.as_integer().is_some_and(|by| (0..i64::from(bits)).contains(&by)) {
        return None;
    }
    builder.before(shift);
    builder.place_as(shift);
    let beyond = |by: Value| {
        let width = by.ty().constant(u64::from(bits));
        builder.compare(IntPredicate::LLVMIntUGE, by, width)
    };
    match lanes {
        None => Some(beyond(amount)),
        Some(lanes) => (0..lanes)
            .map(|lane| beyond(builder.lane(amount, lane)))
            .reduce(|one, other| builder.or(one, other)),
    }
}
