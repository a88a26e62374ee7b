//! Flag probes: after every operation, whether it raised one of the processor's sticky
//! flags. Dearer than a distance's first look and blind for how near an execution was, but
//! the hardware's own word: what `bench/gsl` measures the search against.

use crate::actions;
use crate::goal::distance::Landmarks;
use crate::goal::site::{self, Action, Found};
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Type, TypeKind, Value};
use crate::passes::fuel;
use nanoscope_ieee::Format;

/// MXCSR's flags for invalid operations, divisions by zero, overflow and underflow.
pub const RAISED: u32 = 0x1d;

/// Beside MXCSR's flags: the result is subnormal, which raises none when it is exact.
pub const TINY: u32 = 0x100;

/// The number of the probe after a call of code that is no site: it only clears flags.
pub const NO_SITE: u32 = u32::MAX;

/// Puts a test of the flags after every scalar operation in single or double precision,
/// and after calls of other code. Where one is raised, `nanoscope_flagged(site, flags)` is
/// called, which has to clear them.
pub(crate) fn flag(module: &Module) {
    let writer = Writer::new(module);
    let sites = site::find(module);
    let mut calls: Vec<Value> = Vec::new();
    for function in module.functions() {
        for block in function.blocks() {
            calls.extend(block.instructions().into_iter().filter(|&i| leaves(i)));
        }
    }
    for (number, found) in sites.iter().enumerate() {
        calls.retain(|&call| call != found.instruction);
        writer.operation(number as u32, found);
    }
    for call in calls {
        writer.foreign(call);
    }
    drop(writer);
    fuel::burn(module);
}

/// Whether a call goes to code that has no probes.
fn leaves(instruction: Value) -> bool {
    instruction.opcode() == Some(Opcode::LLVMCall)
        && instruction.callee().is_some_and(|f| f.is_declaration() && !f.is_intrinsic())
}

struct Writer<'m> {
    module: &'m Module,
    builder: Builder<'m>,
    /// Where MXCSR is stored to.
    word: Value,
    flagged: Value,
}

impl<'m> Writer<'m> {
    fn new(module: &'m Module) -> Writer<'m> {
        let word = module.integer(32);
        let ty = module.function_type(module.void(), &[word, word]);
        Writer {
            module,
            builder: Builder::new(module),
            word: module.add_global("nanoscope_mxcsr", word, Some(word.zero())),
            flagged: module.add_function("nanoscope_flagged", ty),
        }
    }

    /// The operation stands between two pieces of assembly, one that its operands go
    /// through and one that its result goes to: so no other operation's flags are seen.
    fn operation(&self, number: u32, found: &Found) {
        if matches!(found.action, Action::Integer(_)) {
            return; // no flag tells
        }
        let instruction = found.instruction;
        let (Some(after), Some(constraint)) = (instruction.next(), register(instruction.ty()))
        else {
            return;
        };
        self.builder.before(instruction);
        for index in 0..found.action.operands() as u32 {
            let operand = instruction.operand(index);
            if !operand.is_constant()
                && let Some(constraint) = register(operand.ty())
            {
                let same = format!("={constraint},0");
                let fenced = self.builder.assembly(operand.ty(), "", &same, &[operand]);
                instruction.set_operand(index, fenced);
            }
        }
        self.builder.before(after);
        let flags = self.flags(constraint, instruction);
        let flags = match found.action {
            Action::ToInteger { .. } | Action::Integer(_) => flags,
            Action::Narrow { .. } | Action::Libm(_) | actions!(Operation) => {
                self.with_tiny(flags, instruction, found.format)
            }
        };
        let operands: Vec<Value> =
            (0..found.action.operands() as u32).map(|i| instruction.operand(i)).collect();
        let values = match found.action {
            // Any value that does not fit is its affair.
            Action::ToInteger { .. } | Action::Integer(_) => None,
            Action::Narrow { .. } | Action::Libm(_) | actions!(Operation) => {
                Some((operands.as_slice(), instruction))
            }
        };
        self.report(flags, after, number, values);
    }

    fn foreign(&self, call: Value) {
        let Some(after) = call.next() else { return };
        self.builder.before(after);
        let flags = self.flags("r", self.module.integer(32).zero());
        self.report(flags, after, NO_SITE, None);
    }

    /// The flags raised when `value` is there.
    fn flags(&self, constraint: &str, value: Value) -> Value {
        let b = &self.builder;
        let word = self.module.integer(32);
        let constraints = format!("{constraint},r,~{{memory}}");
        b.assembly(self.module.void(), "stmxcsr ($1)", &constraints, &[value, self.word]);
        b.and(b.load(word, self.word), word.constant(u64::from(RAISED)))
    }

    /// The flags, with [`TINY`] where the result is subnormal.
    fn with_tiny(&self, flags: Value, result: Value, format: Format) -> Value {
        let b = &self.builder;
        let bits = self.module.integer(format.width());
        let largest = (1u64 << (format.width() - 1)) - 1;
        let magnitude = b.and(b.bitcast(result, bits), bits.constant(largest));
        let limit = bits.constant(Landmarks::of(format).smallest_normal as u64 - 1);
        let tiny = b.compare(IntPredicate::LLVMIntULT, b.sub(magnitude, bits.constant(1)), limit);
        let word = self.module.integer(32);
        b.or(flags, b.select(tiny, word.constant(u64::from(TINY)), word.zero()))
    }

    /// Calls the host where a flag is up. Comparisons and minima raise the flag for invalid
    /// operations when they see a NaN; an operation does when it makes one.
    fn report(&self, flags: Value, after: Value, number: u32, values: Option<(&[Value], Value)>) {
        let b = &self.builder;
        let word = self.module.integer(32);
        let raised = b.compare(IntPredicate::LLVMIntNE, flags, word.zero());
        let rest = b.split_before(after);
        let rare = self.module.add_block(rest.function(), "raised");
        b.branch_rarely(raised, rare, rest);
        b.at_end(rare);
        let flags = match values {
            None => flags,
            Some((operands, result)) => {
                let passed_on = operands.iter().map(|&operand| self.is_nan(operand));
                let passed_on = passed_on.reduce(|a, c| b.or(a, c));
                let made = self.is_nan(result);
                let others = b.and(flags, word.constant(u64::from(RAISED & !1 | TINY)));
                let flags = b.select(made, flags, others);
                passed_on.map_or(flags, |passed_on| b.select(passed_on, others, flags))
            }
        };
        b.call(self.flagged, &[word.constant(u64::from(number)), flags]);
        b.jump(rest);
    }
}

impl Writer<'_> {
    /// Whether a scalar in single or double precision is NaN.
    fn is_nan(&self, value: Value) -> Value {
        let b = &self.builder;
        let TypeKind::Float(format) = value.ty().kind() else {
            return self.module.integer(1).zero();
        };
        let bits = self.module.integer(format.width());
        let largest = (1u64 << (format.width() - 1)) - 1;
        let magnitude = b.and(b.bitcast(value, bits), bits.constant(largest));
        let infinity = bits.constant(Landmarks::of(format).infinity as u64);
        b.compare(IntPredicate::LLVMIntUGT, magnitude, infinity)
    }
}

/// The kind of register that holds a scalar; none for what is not looked at.
fn register(ty: Type) -> Option<&'static str> {
    match ty.kind() {
        TypeKind::Float(Format::BINARY32 | Format::BINARY64) => Some("x"),
        TypeKind::Integer(8..=64) => Some("r"),
        _ => None,
    }
}
