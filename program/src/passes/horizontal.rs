//! Vector intrinsics of the machine's that add and subtract across lanes, as the shuffles and the
//! one sum that they are: so each is a site like any other sum. A code generator makes the same
//! instruction of it.

use crate::llvm::{Builder, Module, Opcode, TypeKind, Value};

/// Writes out every horizontal sum and difference, and every alternating one.
pub(crate) fn expand(module: &Module) {
    let builder = Builder::new(module);
    for function in module.functions().into_iter().filter(|f| f.is_declaration()) {
        let name = function.name();
        let Some((_, what)) = name.strip_prefix("llvm.x86.").and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        let write: fn(&Builder, Value, u32) -> Value = match what.split('.').next() {
            Some("hadd") => |b, call, lanes| across(b, Opcode::LLVMFAdd, call, lanes),
            Some("hsub") => |b, call, lanes| across(b, Opcode::LLVMFSub, call, lanes),
            Some("addsub") => alternating,
            _ => continue,
        };
        for call in function.users() {
            let TypeKind::Vector(_, lanes) = call.ty().kind() else { continue };
            builder.before(call);
            builder.place_as(call);
            let value = write(&builder, call, lanes);
            call.replace_with(value);
            call.erase();
        }
    }
}

/// Neighbours in the two vectors, added or subtracted: within each 128 bits those of the first,
/// then those of the second.
fn across(builder: &Builder, opcode: Opcode, call: Value, lanes: u32) -> Value {
    let [a, b] = [0, 1].map(|i| call.operand(i));
    let within = (16 / (call.ty().byte_size() as u32 / lanes)).min(lanes);
    let half = within / 2;
    let side = |odd: u32| {
        let lane = |i: u32| {
            let (block, at) = (i / within * within, i % within);
            let vector = if at < half { 0 } else { lanes };
            vector + block + 2 * (at % half) + odd
        };
        builder.shuffle(a, b, &(0..lanes).map(lane).collect::<Vec<u32>>())
    };
    builder.binary(opcode, side(0), side(1))
}

/// Differences in the even lanes, sums in the odd ones: a sum with every second sign changed.
fn alternating(builder: &Builder, call: Value, lanes: u32) -> Value {
    let [a, b] = [0, 1].map(|i| call.operand(i));
    let mask: Vec<u32> = (0..lanes).map(|i| if i % 2 == 0 { i } else { lanes + i }).collect();
    let signed = builder.shuffle(builder.negative(b), b, &mask);
    builder.binary(Opcode::LLVMFAdd, a, signed)
}
