//! Subnormal numbers that are flushed to zero, as `-ffast-math` has the processor do from the
//! start (MXCSR's FTZ and DAZ), written out in code for engines that compute as IEEE 754 says.
//!
//! A subnormal operand counts as a zero of its sign, and so does a result that is subnormal. A
//! result that is exactly the smallest normal number was rounded to it from below or not: it may
//! have been flushed. Functions of the mathematical library, selections that a compiler may make a
//! minimum, and roundings to integers compute by instructions that flush or by others: either may
//! happen.

use crate::code::libm;
use crate::goal::site;
use crate::llvm::{Builder, Module, Opcode, RealPredicate, Type, TypeKind, Value};
use nanoscope_ieee::Format;
use std::collections::BTreeSet;

/// Gives any truth value, in every engine.
const ANY: &str = "__VERIFIER_nondet_bool";

/// How an instruction treats subnormal numbers.
enum Treatment {
    /// Operands and results are flushed.
    Flushes,
    /// Only operands are: there is no float for a result, or none that is subnormal.
    TakesFlushed,
    /// They may be, or not.
    May,
}

/// Writes out what is flushed, everywhere.
pub(crate) fn write_out(module: &Module) {
    let mut writer = Writer { module, builder: Builder::new(module), flushed: BTreeSet::new() };
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if let Some(treatment) = treatment(instruction) {
                    writer.rewrite(instruction, &treatment);
                }
            }
        }
    }
}

fn treatment(instruction: Value) -> Option<Treatment> {
    use Opcode::*;
    match instruction.opcode()? {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFPTrunc => Some(Treatment::Flushes),
        LLVMFCmp | LLVMFPExt => Some(Treatment::TakesFlushed),
        LLVMFRem => Some(Treatment::May),
        LLVMSelect => is_flushed_format(instruction.ty()).then_some(Treatment::May),
        LLVMCall | LLVMInvoke => {
            let callee = instruction.callee().filter(|callee| callee.is_declaration())?;
            let name = callee.name();
            if !name.starts_with("llvm.") {
                let base = name.strip_suffix('f').unwrap_or(&name);
                let is_known = libm::with_errors(base).is_some()
                    || libm::watched().contains(&name)
                    || libm::ROUNDING.contains(&base);
                return is_known.then_some(Treatment::May);
            }
            let rest = name.strip_prefix("llvm.").unwrap_or_default();
            let rest = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
            match rest.split('.').next().unwrap_or(rest) {
                "fadd" | "fsub" | "fmul" | "fdiv" | "fma" | "fptrunc" => Some(Treatment::Flushes),
                "sqrt" | "fcmp" | "fcmps" | "fpext" => Some(Treatment::TakesFlushed),
                // Bits that are moved.
                "fabs" | "copysign" | "is" | "fptosi" | "fptoui" => None,
                _ => Some(Treatment::May),
            }
        }
        _ => None,
    }
}

/// Whether numbers of a type are computed by instructions that flush.
fn is_flushed_format(ty: Type) -> bool {
    let format = match ty.kind() {
        TypeKind::Float(format) => Some(format),
        TypeKind::Vector(lane, _) => match lane.kind() {
            TypeKind::Float(format) => Some(format),
            _ => None,
        },
        _ => None,
    };
    matches!(format, Some(Format::BINARY32 | Format::BINARY64))
}

/// Whether a value is a constant that is not subnormal.
fn is_normal(value: Value) -> bool {
    let smallest = match site::scalar_format(value) {
        Some(Format::BINARY32) => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    };
    let is_normal = |number: f64| number == 0.0 || number.is_nan() || number.abs() >= smallest;
    value.as_double().is_some_and(is_normal)
}

/// The instruction that control comes to next.
fn next(instruction: Value) -> Option<Value> {
    if instruction.opcode() != Some(Opcode::LLVMInvoke) {
        return instruction.next();
    }
    let there = instruction.normal_destination().instructions();
    there.into_iter().find(|instruction| instruction.opcode() != Some(Opcode::LLVMPHI))
}

struct Writer<'m> {
    module: &'m Module,
    builder: Builder<'m>,
    /// What is no subnormal number.
    flushed: BTreeSet<Value>,
}

impl Writer<'_> {
    fn rewrite(&mut self, instruction: Value, treatment: &Treatment) {
        let b = &self.builder;
        let may = matches!(treatment, Treatment::May);
        let is_select = instruction.opcode() == Some(Opcode::LLVMSelect);
        let count = match instruction.opcode() {
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => instruction.arguments().len(),
            _ => instruction.operands().len(),
        };
        for index in 0..count as u32 {
            let operand = instruction.operand(index);
            // What is chosen from has its treatment in the result.
            let is_concerned = is_flushed_format(operand.ty()) && !is_select;
            if is_concerned && !self.flushed.contains(&operand) && !is_normal(operand) {
                b.before(instruction);
                b.place_as(instruction);
                instruction.set_operand(index, self.flushed(operand, may, false));
            }
        }
        let gives = !matches!(treatment, Treatment::TakesFlushed);
        if !gives || !is_flushed_format(instruction.ty()) {
            return;
        }
        let Some(after) = next(instruction) else { return };
        let users = instruction.users();
        b.before(after);
        b.place_as(instruction);
        let flushed = self.flushed(instruction, may, !may);
        if !may {
            self.flushed.insert(flushed);
        }
        for user in users {
            let operands = user.operands();
            for (index, operand) in operands.into_iter().enumerate() {
                if operand == instruction {
                    user.set_operand(index as u32, flushed);
                }
            }
        }
    }

    /// The number, or a zero of its sign where it is subnormal: always, or perhaps (`may`). With
    /// `rounded`, the smallest normal number may have been flushed, too.
    fn flushed(&self, value: Value, may: bool, rounded: bool) -> Value {
        let (b, ty) = (&self.builder, value.ty());
        let smallest = match site::scalar_format(value) {
            Some(Format::BINARY32) => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        let smallest = ty.real(smallest);
        let size = self.intrinsic("fabs", &[value]);
        let below = b.compare_floats(RealPredicate::LLVMRealOLT, size, smallest);
        let any = |truth: Value| {
            let function = self.module.function_type(self.module.integer(1), &[]);
            let function = self.module.add_function(ANY, function);
            b.select(b.call(function, &[]), truth, truth.ty().zero())
        };
        let condition = match (may, rounded) {
            (true, _) => any(below),
            (false, false) => below,
            (false, true) => {
                let at = b.compare_floats(RealPredicate::LLVMRealOEQ, size, smallest);
                b.or(below, any(at))
            }
        };
        let zero = self.intrinsic("copysign", &[ty.real(0.0), value]);
        b.select(condition, zero, value)
    }

    fn intrinsic(&self, name: &str, arguments: &[Value]) -> Value {
        let ty = arguments[0].ty();
        let types: Vec<Type> = arguments.iter().map(|_| ty).collect();
        let function = self.module.function_type(ty, &types);
        let function = self.module.add_function(&format!("llvm.{name}.{}", ty.suffix()), function);
        self.builder.call(function, arguments)
    }
}
