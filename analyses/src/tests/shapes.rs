//! What the memory is that a program makes unknown: of which type, so that a person can read
//! the values. Declared types tell; where there is none, as of memory from the heap, what the
//! program does with it.

use nanoscope_program::ir::{Act, Callee, Code, Constant, Function, Operand, Place, Type};
use nanoscope_program::{Member, Program, Scalar};
use std::collections::BTreeMap;

/// What memory consists of.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// These scalars.
    Members(Vec<Member>),
    /// So many scalars of one sort as there is room for.
    Each(Scalar),
}

/// What memory consists of, by the names that the program gives it: what `klee_make_symbolic` is
/// called with.
pub(super) type Shapes = BTreeMap<String, Shape>;

/// As the program declares it.
pub(super) fn declared(program: &Program) -> Shapes {
    let symbolic = program.symbolic().into_iter();
    symbolic.map(|(name, members)| (name, Shape::Members(members))).collect()
}

/// As the function that calls `klee_make_symbolic` reads and writes it.
pub(super) fn used(code: &Code) -> Shapes {
    let mut list = BTreeMap::new();
    for function in &code.functions {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Act::Call { callee: Callee::Function(callee), arguments, .. } = &instruction.act
            else {
                continue;
            };
            if code.function(*callee).name != "klee_make_symbolic" || arguments.len() < 3 {
                continue;
            }
            let used = use_of(function, arguments[0]);
            if let (Some(name), Some(scalar)) = (text(code, arguments[2]), used) {
                list.insert(name, Shape::Each(scalar));
            }
        }
    }
    list
}

/// As what a function reads or writes the memory at an address, or an element of it.
fn use_of(function: &Function, address: Operand) -> Option<Scalar> {
    let all = || function.blocks.iter().flat_map(|block| &block.instructions);
    let mut addresses = vec![address];
    addresses.extend(all().filter_map(|instruction| match &instruction.act {
        Act::Offset { base, .. } if *base == address => instruction.result.map(Operand::Register),
        _ => None,
    }));
    all().find_map(|instruction| match &instruction.act {
        Act::Load { ty, address } if addresses.contains(address) => scalar(ty),
        Act::Store { ty, address, .. } if addresses.contains(address) => scalar(ty),
        _ => None,
    })
}

fn scalar(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Float(format) => Some(Scalar::Float(*format)),
        // Letters are read better as text.
        Type::Integer(bits @ (16 | 32 | 64)) => Some(Scalar::Integer { bits: *bits, signed: true }),
        Type::Integer(_) | Type::Void | Type::Pointer | Type::Vector(..) | Type::Aggregate(_) => {
            None
        }
    }
}

/// The string that an operand points to.
fn text(code: &Code, operand: Operand) -> Option<String> {
    let Operand::Constant(constant) = operand else { return None };
    let Constant::Address { of: Place::Global(global), offset: 0 } = &code.constant(constant).1
    else {
        return None;
    };
    let Some(Constant::Bytes(bytes)) = &code.global(*global).initial else { return None };
    let end = bytes.iter().position(|&byte| byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}
