//! Sites: the floating-point operations of a program, and the arithmetic on integers that
//! derive from floats, each with an identity that goals, instrumentation, replay and
//! exploration share.

use crate::code::libm::{self, Function};
use crate::goal::float_derived::Derived;
use crate::goal::integer::{Arithmetic, IntegerArithmetic};
use crate::llvm::{Module, Opcode, TypeKind, Value};
use nanoscope_ieee::Format;
use std::fmt;

/// A place in the program where an operation stands. Its number is
/// the operation's position in the program's bitcode: the same source and flags
/// give the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// Where in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file as the compiler was given it.
    pub file: String,
    /// Line, from 1; 0 where the compiler recorded none.
    pub line: u32,
    /// Column, from 1; 0 where the compiler recorded none.
    pub column: u32,
    /// The call sites this code was inlined through, innermost first.
    pub inlined_at: Vec<Location>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What a site does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Division.
    Div,
    /// C's `fmod`.
    Rem,
    /// Fused multiply-add.
    Fma,
    /// Square root.
    Sqrt,
    /// Conversion from this wider format.
    Narrow {
        /// The format converted from.
        from: Format,
    },
    /// Conversion to an integer type.
    ToInteger {
        /// Width of the integer type.
        bits: u32,
        /// Whether it is signed.
        signed: bool,
    },
    /// A call of a function of the mathematical library.
    Libm(&'static Function),
    /// Arithmetic on integers that derive from floats.
    Integer(IntegerArithmetic),
}

/// The pattern of all actions of some families: `actions!(Operation)`.
#[macro_export]
macro_rules! actions {
    (Sum) => {
        $crate::actions!(@ Add Sub)
    };
    (Product) => {
        $crate::actions!(@ Mul Div)
    };
    (Operation) => {
        $crate::actions!(@ Add Sub Mul Div Rem Fma Sqrt)
    };
    (Rest) => {
        $crate::actions!(@ Rem Sqrt)
    };
    (ToIntegers) => {
        $crate::actions!(@ ToInteger Integer)
    };
    (Conversion) => {
        $crate::actions!(@ Narrow ToInteger)
    };
    (@ $($Variant:ident)+) => {
        $($crate::Action::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::actions!($First) | $crate::actions!($($More),+)
    };
}

impl Action {
    /// The operation's name, as reports and LLVM have it.
    pub fn name(&self) -> &'static str {
        match self {
            Action::Add => "fadd",
            Action::Sub => "fsub",
            Action::Mul => "fmul",
            Action::Div => "fdiv",
            Action::Rem => "frem",
            Action::Fma => "fma",
            Action::Sqrt => "sqrt",
            Action::Narrow { .. } => "fptrunc",
            Action::ToInteger { signed: true, .. } => "fptosi",
            Action::ToInteger { signed: false, .. } => "fptoui",
            Action::Libm(function) => function.name,
            Action::Integer(arithmetic) => arithmetic.name(),
        }
    }

    /// How many operands it takes that say what it raises.
    pub fn operands(&self) -> usize {
        match self {
            Action::Rem | actions!(Sum, Product) => 2,
            Action::Fma => 3,
            Action::Sqrt | Action::Narrow { .. } | Action::ToInteger { .. } => 1,
            Action::Libm(function) => function.signature.operands(),
            Action::Integer(arithmetic) => arithmetic.operands(),
        }
    }
}

/// An operation of the program.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its identity.
    pub id: SiteId,
    /// The function whose code it is in, as the source names it.
    pub function: String,
    /// Where it stands in the source.
    pub location: Location,
    /// What it does.
    pub action: Action,
    /// The format of its result (of its operand, for a conversion to an integer). Of no
    /// meaning, and binary64, where no float takes part.
    pub format: Format,
    /// Whether the user's flags let a compiler compute something else in its place
    /// (`-ffast-math` and its parts).
    pub rewritable: bool,
}

/// A site's instruction in a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub instruction: Value,
    pub action: Action,
    pub format: Format,
}

/// The operations of a module, in order: position is identity. It may not depend on debug
/// information, which some copies of a module lack.
pub(crate) fn find(module: &Module) -> Vec<Found> {
    let mut sites = Vec::new();
    let derived = Derived::of(module);
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if let Some((action, format)) = classify(instruction) {
                    sites.push(Found { instruction, action, format });
                } else if let Some(arithmetic) = on_integers(instruction, &derived) {
                    let (action, format) = (Action::Integer(arithmetic), Format::BINARY64);
                    sites.push(Found { instruction, action, format });
                }
            }
        }
    }
    sites
}

/// What an instruction does, where it can raise anything.
fn classify(instruction: Value) -> Option<(Action, Format)> {
    let format = scalar_format(instruction);
    match instruction.opcode()? {
        Opcode::LLVMFAdd => Some((Action::Add, format?)),
        Opcode::LLVMFSub => Some((Action::Sub, format?)),
        Opcode::LLVMFMul => Some((Action::Mul, format?)),
        Opcode::LLVMFDiv => Some((Action::Div, format?)),
        Opcode::LLVMFRem => Some((Action::Rem, format?)),
        Opcode::LLVMFPTrunc => {
            Some((Action::Narrow { from: scalar_format(instruction.operand(0))? }, format?))
        }
        Opcode::LLVMFPToSI => to_integer(instruction, true),
        Opcode::LLVMFPToUI => to_integer(instruction, false),
        Opcode::LLVMCall | Opcode::LLVMInvoke => called(instruction),
        _ => None,
    }
}

fn to_integer(instruction: Value, signed: bool) -> Option<(Action, Format)> {
    let ty = match instruction.ty().kind() {
        TypeKind::Vector(lane, _) => lane,
        _ => instruction.ty(),
    };
    match ty.kind() {
        TypeKind::Integer(bits) => {
            Some((Action::ToInteger { bits, signed }, scalar_format(instruction.operand(0))?))
        }
        _ => None,
    }
}

/// A call of `lrint` or its like: to 64 bits it goes out of range where truncation does, since
/// numbers of that size have no fraction (but in formats wider than binary64).
fn rounding(call: Value) -> Option<(Action, Format)> {
    let (action, format) = to_integer(call, true)?;
    let is_plain = matches!(format, Format::BINARY32 | Format::BINARY64);
    (is_plain && action == Action::ToInteger { bits: 64, signed: true }).then_some((action, format))
}

/// Arithmetic on integers that derive from floats. Where the source has signed types the
/// compiler promises that nothing wraps; what is unsigned wraps by right, and is asked about
/// only where indices and sizes are computed.
fn on_integers(instruction: Value, derived: &Derived) -> Option<IntegerArithmetic> {
    let width = |value: Value| match value.ty().kind() {
        TypeKind::Integer(bits @ 8..=IntegerArithmetic::WIDEST) => Some(bits),
        _ => None,
    };
    let (operation, operands) = match instruction.opcode()? {
        Opcode::LLVMAdd => (Arithmetic::Add, 2),
        Opcode::LLVMSub => (Arithmetic::Sub, 2),
        Opcode::LLVMMul => (Arithmetic::Mul, 2),
        Opcode::LLVMTrunc => (Arithmetic::Narrow { to: width(instruction)? }, 1),
        _ => return None,
    };
    if !(0..operands).any(|i| derived.contains(instruction.operand(i))) {
        return None;
    }
    let bits = width(instruction.operand(0))?;
    if operands == 1 {
        return Some(IntegerArithmetic { operation, bits, signed: true });
    }
    let (_, promised) = instruction.no_wrap();
    let signed = promised || is_fortran(instruction.block().function());
    if !signed && (!derived.is_place(instruction) || takes_away(instruction, operation)) {
        return None;
    }
    Some(IntegerArithmetic { operation, bits, signed })
}

/// Whether arithmetic without a sign stands for arithmetic with one: `n + (unsigned)-1` takes
/// one away, `0 - n` negates.
fn takes_away(instruction: Value, operation: Arithmetic) -> bool {
    let constant = |i| instruction.operand(i).as_integer();
    match operation {
        Arithmetic::Add | Arithmetic::Mul => {
            constant(0).or(constant(1)).is_some_and(|constant| constant < 0)
        }
        Arithmetic::Sub => constant(0) == Some(0),
        Arithmetic::Narrow { .. } => false,
    }
}

/// Whether a function is Fortran's, by its symbol and by what clang would say of it. Fortran
/// has no unsigned integers and forbids results that do not fit, and its compiler does not say
/// so.
fn is_fortran(function: Value) -> bool {
    let name = function.name();
    (name.starts_with("_Q") || name.ends_with('_'))
        && function.string_attribute("stack-protector-buffer-size").is_none()
}

/// Calls: intrinsics that are operations, and the mathematical library.
fn called(call: Value) -> Option<(Action, Format)> {
    let callee = call.callee()?;
    let name = callee.name();
    let format = scalar_format(call);
    if let Some(rest) = name.strip_prefix("llvm.") {
        let rest = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
        let base = rest.split('.').next().unwrap_or(rest);
        return match base {
            "fadd" => Some((Action::Add, format?)),
            "fsub" => Some((Action::Sub, format?)),
            "fmul" => Some((Action::Mul, format?)),
            "fdiv" => Some((Action::Div, format?)),
            "frem" => Some((Action::Rem, format?)),
            "fma" => Some((Action::Fma, format?)),
            "sqrt" => Some((Action::Sqrt, format?)),
            "fptrunc" => Some((Action::Narrow { from: scalar_format(call.operand(0))? }, format?)),
            "fptosi" => to_integer(call, true),
            "fptoui" => to_integer(call, false),
            _ if libm::ROUNDING.contains(&base) => rounding(call),
            _ => Some((Action::Libm(libm::with_errors(base)?), format?)),
        };
    }
    if !callee.is_declaration() {
        return None; // The program's own function of that name.
    }
    let rounds = |name: &str| libm::ROUNDING.contains(&name);
    if rounds(&name) || name.strip_suffix('f').is_some_and(rounds) {
        return rounding(call);
    }
    let format = format?;
    let base = match format {
        Format::BINARY64 => name.as_str(),
        Format::BINARY32 => name.strip_suffix('f')?,
        Format::X87 => name.strip_suffix('l')?,
        _ => return None,
    };
    match base {
        "sqrt" => Some((Action::Sqrt, format)),
        "fma" => Some((Action::Fma, format)),
        "fmod" => Some((Action::Rem, format)),
        _ => Some((Action::Libm(libm::with_errors(base)?), format)),
    }
}

/// The format of a floating-point value or of a vector's lanes.
pub(crate) fn scalar_format(value: Value) -> Option<Format> {
    match value.ty().kind() {
        TypeKind::Float(format) => Some(format),
        TypeKind::Vector(lane, _) => match lane.kind() {
            TypeKind::Float(format) => Some(format),
            _ => None,
        },
        _ => None,
    }
}
