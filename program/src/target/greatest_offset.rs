//! How far indices lead: the greatest offset that an address is computed with, where lengths and
//! strides that are parameters are small, as targets get them when nothing tells.

use crate::llvm::{Opcode, TypeKind, Value};
use crate::target::extent::DEFAULT_LENGTH;

/// How deep expressions are followed.
const DEEPEST: u32 = 12;

/// Further than this is no estimate any more.
const FARTHEST: u64 = 1 << 16;

/// One past the last byte of the element that an address leads to; 0 where that cannot be told.
pub(crate) fn end(address: Value) -> u64 {
    let element = address.source_element_type();
    offset(address, 0).map_or(0, |start| start + scalar_size(element))
}

/// The greatest offset of an address; 0 where that cannot be told.
pub(crate) fn start(address: Value) -> u64 {
    offset(address, 0).unwrap_or(0)
}

/// The size of an element of arrays of arrays, or of anything else.
fn scalar_size(ty: crate::llvm::Type) -> u64 {
    match ty.kind() {
        TypeKind::Array(element, _) => scalar_size(element),
        _ => ty.byte_size(),
    }
}

/// The greatest offset of an address from where its pointer starts.
fn offset(address: Value, depth: u32) -> Option<u64> {
    if address.opcode() != Some(Opcode::LLVMGetElementPtr) {
        // A parameter; a pointer that walks through memory is not followed.
        return address.opcode().is_none().then_some(0);
    }
    if depth > DEEPEST {
        return None;
    }
    let operands = address.operands();
    let base = offset(operands[0], depth + 1)?;
    if let Some(constant) = address.constant_offset() {
        // Before the start: Fortran in C, where indices start at one.
        let constant = constant as i64;
        return Some(base.saturating_add_signed(constant.max(0)));
    }
    let mut ty = address.source_element_type();
    let mut total = base;
    for (number, &index) in operands[1..].iter().enumerate() {
        if number > 0 {
            match ty.kind() {
                TypeKind::Array(element, _) => ty = element,
                _ => return None,
            }
        }
        total = total.checked_add(most(index, depth + 1)?.checked_mul(ty.byte_size())?)?;
    }
    (total <= FARTHEST).then_some(total)
}

/// The greatest value of an index: lengths are small, and counters stay below them.
fn most(index: Value, depth: u32) -> Option<u64> {
    if depth > DEEPEST {
        return None;
    }
    if let Some(constant) = index.as_integer() {
        return Some(u64::try_from(constant).unwrap_or(0));
    }
    let of = |operand: u32| most(index.operand(operand), depth + 1);
    let value = match index.opcode() {
        Some(Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze) => {
            of(0)?
        }
        Some(Opcode::LLVMAdd | Opcode::LLVMOr | Opcode::LLVMXor) => of(0)?.checked_add(of(1)?)?,
        Some(Opcode::LLVMSub) => {
            let less = index.operand(1).as_integer().and_then(|c| u64::try_from(c).ok());
            of(0)?.saturating_sub(less.unwrap_or(0))
        }
        Some(Opcode::LLVMMul) => of(0)?.checked_mul(of(1)?)?,
        Some(Opcode::LLVMShl) => {
            let by = u32::try_from(index.operand(1).as_integer()?).ok()?;
            of(0)?.checked_mul(1u64.checked_shl(by)?)?
        }
        Some(Opcode::LLVMAnd) => of(0)?.min(of(1)?),
        Some(Opcode::LLVMSelect) => of(1)?.max(of(2)?),
        Some(Opcode::LLVMPHI) => counter(index),
        // A parameter, or what a parameter points to.
        Some(_) | None => DEFAULT_LENGTH,
    };
    (value <= FARTHEST).then_some(value)
}

/// The greatest value of a counter: what it or its next value is compared with.
fn counter(phi: Value) -> u64 {
    let mut values = vec![phi];
    values.extend(phi.users().into_iter().filter(|user| user.opcode() == Some(Opcode::LLVMAdd)));
    let compared = values.iter().flat_map(|value| value.users());
    let limits = compared
        .filter(|user| user.opcode() == Some(Opcode::LLVMICmp))
        .flat_map(|test| test.operands())
        .filter_map(|operand| operand.as_integer())
        .filter_map(|limit| u64::try_from(limit).ok());
    limits.max().filter(|&limit| limit > 0).map_or(DEFAULT_LENGTH - 1, |limit| limit - 1)
}
