//! Structures that are loaded and stored whole are loaded and stored member by member, and a
//! member that is taken out of a structure just put together is what was put in. So a complex
//! number is two floats, each with an address and an identity of its own.

use crate::llvm::{Builder, Module, Opcode, Type, TypeKind, Value};

/// A structure with more members stays whole.
const MOST_MEMBERS: usize = 8;

/// The members of a structure of a few scalars.
fn members(ty: Type) -> Option<Vec<Type>> {
    if !matches!(ty.kind(), TypeKind::Structure) {
        return None;
    }
    let members = ty.members();
    let is_scalar = |member: &Type| {
        matches!(member.kind(), TypeKind::Float(_) | TypeKind::Integer(_) | TypeKind::Pointer)
    };
    (members.len() <= MOST_MEMBERS && members.iter().all(is_scalar)).then_some(members)
}

/// All instructions of a module.
fn instructions(module: &Module) -> impl Iterator<Item = Value> {
    let blocks = module.functions().into_iter().flat_map(Value::blocks);
    blocks.flat_map(|block| block.instructions())
}

/// Takes loads and stores of structures apart.
pub fn split(module: &Module) {
    let builder = Builder::new(module);
    for instruction in instructions(module).collect::<Vec<_>>() {
        match instruction.opcode() {
            Some(Opcode::LLVMLoad) => {
                let Some(list) = members(instruction.ty()) else { continue };
                builder.before(instruction);
                builder.place_as(instruction);
                let mut whole = instruction.ty().poison();
                for (index, ty) in (0..).zip(list) {
                    let offset = module.offset_of(instruction.ty(), index);
                    let address = builder.offset(instruction.operand(0), offset);
                    whole = builder.insert(whole, builder.load(ty, address), index);
                }
                instruction.replace_with(whole);
                instruction.erase();
            }
            Some(Opcode::LLVMStore) => {
                let value = instruction.operand(0);
                let Some(list) = members(value.ty()) else { continue };
                builder.before(instruction);
                builder.place_as(instruction);
                for index in 0..list.len() as u32 {
                    let offset = module.offset_of(value.ty(), index);
                    let address = builder.offset(instruction.operand(1), offset);
                    builder.store(builder.extract(value, index), address);
                }
                instruction.erase();
            }
            Some(_) | None => {}
        }
    }
}

/// Replaces members of structures that were put together before by what was put in.
pub fn fold(module: &Module) {
    for taken in instructions(module).collect::<Vec<_>>() {
        if taken.opcode() != Some(Opcode::LLVMExtractValue) {
            continue;
        }
        let path = taken.member_path();
        let mut whole = taken.operand(0);
        while whole.opcode() == Some(Opcode::LLVMInsertValue) {
            let inserted = whole.member_path();
            if inserted == path {
                taken.replace_with(whole.operand(1));
                taken.erase();
                break;
            }
            let common = inserted.iter().zip(&path).take_while(|(a, b)| a == b).count();
            if common == inserted.len().min(path.len()) {
                break;
            }
            whole = whole.operand(0);
        }
    }
    let mut unused: Vec<Value> = instructions(module)
        .filter(|value| value.opcode() == Some(Opcode::LLVMInsertValue))
        .collect();
    // The last of a chain first.
    while let Some(value) = unused.pop() {
        if value.users().is_empty() {
            value.erase();
        }
    }
}
