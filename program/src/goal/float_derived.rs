//! Which integers derive from floats: what a conversion gives, and what is computed from it
//! by integer arithmetic, kept in a variable, passed to a function or returned by one.
//!
//! The flow is that of data, not of control, and takes no order into account: what is ever
//! stored into a variable may be what is read from it.

use crate::code::libm;
use crate::llvm::{Module, Opcode, TypeKind, Value};
use std::collections::BTreeSet;

/// Integers that derive from floats.
pub(crate) struct Derived {
    values: BTreeSet<Value>,
    /// Those among them that indices and sizes are computed from.
    places: BTreeSet<Value>,
}

impl Derived {
    /// Follows the data through a module.
    pub fn of(module: &Module) -> Derived {
        let mut values = BTreeSet::new();
        let mut open = Vec::new();
        for function in module.functions() {
            for block in function.blocks() {
                for instruction in block.instructions() {
                    if converts(instruction) && values.insert(instruction) {
                        open.push(instruction);
                    }
                }
            }
        }
        while let Some(value) = open.pop() {
            for user in value.users() {
                onward(value, user, &mut |next| {
                    if is_integer(next) && values.insert(next) {
                        open.push(next);
                    }
                });
            }
        }
        let places = places(&values);
        Derived { values, places }
    }

    /// Whether a value derives from a float.
    pub fn contains(&self, value: Value) -> bool {
        self.values.contains(&value)
    }

    /// Whether, besides, an index or a size is computed from it.
    pub fn is_place(&self, value: Value) -> bool {
        self.places.contains(&value)
    }
}

/// Whether an instruction makes an integer of a float.
fn converts(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(Opcode::LLVMFPToSI | Opcode::LLVMFPToUI) => true,
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            let Some(callee) = instruction.callee().filter(|callee| callee.is_declaration()) else {
                return false;
            };
            let name = callee.name();
            if let Some(rest) = name.strip_prefix("llvm.") {
                let rest = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
                let base = rest.split('.').next().unwrap_or(rest);
                return matches!(base, "fptosi" | "fptoui") || counts(base);
            }
            let base = name.strip_suffix(['f', 'l']).filter(|base| counts(base));
            is_integer(instruction) && (base.is_some() || counts(&name))
        }
        // No other instruction takes floats and gives integers that count something.
        _ => false,
    }
}

/// Functions of the mathematical library that give an integer.
fn counts(name: &str) -> bool {
    libm::ROUNDING.contains(&name) || name == "ilogb"
}

fn is_integer(value: Value) -> bool {
    match value.ty().kind() {
        TypeKind::Integer(bits) => bits > 1,
        TypeKind::Vector(lane, _) => matches!(lane.kind(), TypeKind::Integer(bits) if bits > 1),
        _ => false,
    }
}

/// Whether an instruction computes an integer from its operands.
fn computes(instruction: Value) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        Some(
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl
            | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMTrunc | LLVMZExt | LLVMSExt
            | LLVMPHI | LLVMSelect | LLVMFreeze | LLVMExtractElement | LLVMInsertElement
            | LLVMShuffleVector,
        ) => true,
        Some(LLVMCall) => instruction.callee().is_some_and(|callee| {
            let name = callee.intrinsic_name().unwrap_or_default();
            matches!(
                name.as_str(),
                "llvm.abs" | "llvm.smax" | "llvm.smin" | "llvm.umax" | "llvm.umin"
            )
        }),
        _ => false,
    }
}

/// Where a value goes by way of one of its users.
fn onward(value: Value, user: Value, go: &mut dyn FnMut(Value)) {
    match user.opcode() {
        _ if computes(user) => go(user),
        Some(Opcode::LLVMStore) if user.operand(0) == value => {
            let variable = user.operand(1);
            if variable.opcode() == Some(Opcode::LLVMAlloca) {
                let reads = |user: &Value| user.opcode() == Some(Opcode::LLVMLoad);
                variable.users().into_iter().filter(reads).for_each(go);
            }
        }
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            let Some(callee) = user.callee().filter(|callee| !callee.is_declaration()) else {
                return;
            };
            let given = user.arguments();
            let taken = callee.parameters();
            given.iter().zip(taken).filter(|(it, _)| **it == value).for_each(|(_, it)| go(it));
        }
        Some(Opcode::LLVMRet) => {
            let function = user.block().function();
            calls_of(function).into_iter().for_each(go);
        }
        // Anywhere else it is no longer an integer, or lost from sight in memory.
        _ => {}
    }
}

fn calls_of(function: Value) -> Vec<Value> {
    let calls = |user: &Value| {
        matches!(user.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
            && user.callee() == Some(function)
    };
    function.users().into_iter().filter(calls).collect()
}

/// Of some values, those that an index or a size is computed from: the same flow backward.
fn places(values: &BTreeSet<Value>) -> BTreeSet<Value> {
    let mut places = BTreeSet::new();
    let mut open: Vec<Value> =
        values.iter().copied().filter(|v| v.users().iter().any(|u| places_by(*v, *u))).collect();
    places.extend(open.iter().copied());
    while let Some(value) = open.pop() {
        backward(value, &mut |before| {
            if values.contains(&before) && places.insert(before) {
                open.push(before);
            }
        });
    }
    places
}

/// Whether a user takes a value for an index or a size.
fn places_by(value: Value, user: Value) -> bool {
    match user.opcode() {
        Some(Opcode::LLVMGetElementPtr) => user.operands()[1..].contains(&value),
        Some(Opcode::LLVMAlloca) => true,
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => user.callee().is_some_and(|callee| {
            let name = callee.intrinsic_name().unwrap_or_else(|| callee.name());
            SIZED.contains(&name.as_str())
        }),
        _ => false,
    }
}

/// Functions that take sizes.
const SIZED: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "aligned_alloc",
    "alloca",
    "memcpy",
    "memmove",
    "memset",
    "_Znwm",
    "_Znam",
    "llvm.memcpy",
    "llvm.memmove",
    "llvm.memset",
];

/// Where a value may come from.
fn backward(value: Value, go: &mut dyn FnMut(Value)) {
    match value.opcode() {
        _ if computes(value) => value.operands().into_iter().for_each(go),
        Some(Opcode::LLVMLoad) => {
            let variable = value.operand(0);
            if variable.opcode() == Some(Opcode::LLVMAlloca) {
                let stores = |user: &Value| {
                    user.opcode() == Some(Opcode::LLVMStore) && user.operand(1) == variable
                };
                variable.users().iter().filter(|u| stores(u)).for_each(|u| go(u.operand(0)));
            }
        }
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            let Some(callee) = value.callee().filter(|callee| !callee.is_declaration()) else {
                return;
            };
            for block in callee.blocks() {
                let returned = block.terminator().filter(|t| t.opcode() == Some(Opcode::LLVMRet));
                returned.into_iter().flat_map(Value::operands).for_each(&mut *go);
            }
        }
        // A parameter: what callers pass.
        None => {
            let Some(function) = value.parent_function() else { return };
            let Some(at) = function.parameters().iter().position(|it| *it == value) else { return };
            calls_of(function)
                .iter()
                .filter_map(|call| call.arguments().get(at).copied())
                .for_each(go);
        }
        _ => {}
    }
}
