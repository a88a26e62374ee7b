//! Code as text, for people and for tests.
//!
//! ```text
//! function @half(r0: binary64) -> binary64    ; half.c:1
//! b0:
//!   r1: binary64 = div r0, 2    ; half.c:1:35 site 0
//!   return r1
//! ```

use super::{
    Act, Aggregate, Block, Callee, Code, Constant, ConstantId, Edge, End, Function, FunctionId,
    Global, Instruction, LocationId, Mode, Operand, Place, Special, Type,
};
use crate::specials;
use nanoscope_ieee::{Float, OutOfRange, Word};
use std::fmt::{self, Display, Formatter};

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for global in &self.globals {
            writeln!(f, "{}", Shown(self, global))?;
        }
        for (list, what) in
            [(&self.constructors, "constructors"), (&self.destructors, "destructors")]
        {
            if !list.is_empty() {
                writeln!(f, "{what} {}", joined(list.iter().map(|id| Shown(self, id))))?;
            }
        }
        for function in &self.functions {
            writeln!(f, "{}", Shown(self, function))?;
        }
        Ok(())
    }
}

impl Code {
    /// A function, with its constants and callees by name.
    pub fn show(&self, function: FunctionId) -> impl Display + '_ {
        Shown(self, self.function(function))
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Integer(bits) => write!(f, "i{bits}"),
            Type::Float(format) => write!(f, "{format}"),
            Type::Pointer => f.write_str("ptr"),
            Type::Vector(lane, lanes) => write!(f, "<{lanes} x {lane}>"),
            Type::Aggregate(aggregate) => match &**aggregate {
                Aggregate::Structure { members, size } => {
                    let members = joined(members.iter().map(|(at, ty)| format!("{at}: {ty}")));
                    write!(f, "{{{members}; {size}}}")
                }
                Aggregate::Array { element, stride: _, length } => {
                    write!(f, "[{length} x {element}]")
                }
            },
        }
    }
}

/// Something that needs its program to be shown.
struct Shown<'a, T>(&'a Code, &'a T);

impl Display for Shown<'_, Global> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Global { name, ty, size, alignment, constant, initial } = self.1;
        let kind = if *constant { "constant" } else { "global" };
        write!(f, "{kind} @{name}: {ty}, {size} bytes, align {alignment}")?;
        match initial {
            Some(initial) => write!(f, " = {}", Shown(self.0, initial)),
            None => f.write_str(", elsewhere"),
        }
    }
}

impl Display for Shown<'_, FunctionId> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0.function(*self.1).name)
    }
}

impl Display for Shown<'_, LocationId> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let location = self.0.location(*self.1);
        let file = location.file.rsplit('/').next().unwrap_or_default();
        write!(f, "{file}:{}", location.line)?;
        if location.column != 0 {
            write!(f, ":{}", location.column)?;
        }
        Ok(())
    }
}

impl Display for Shown<'_, Function> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let function = self.1;
        let mut parameters: Vec<String> = function
            .parameters
            .iter()
            .enumerate()
            .map(|(i, parameter)| match parameter.copied {
                Some((size, alignment)) => {
                    format!("r{i}: {} to a copy of {size} bytes, align {alignment}", parameter.ty)
                }
                None => format!("r{i}: {}", parameter.ty),
            })
            .collect();
        if function.variadic {
            parameters.push("...".into());
        }
        write!(f, "\nfunction @{}({})", function.name, parameters.join(", "))?;
        write!(f, " -> {}", function.result)?;
        if function.never_returns {
            f.write_str(" never returns")?;
        }
        if !function.is_defined() {
            return f.write_str(", elsewhere");
        }
        if function.location != LocationId(0) {
            write!(f, "    ; {}", Shown(self.0, &function.location))?;
        }
        for (number, block) in function.blocks.iter().enumerate() {
            write!(f, "\nb{number}:")?;
            let Block { instructions, end, end_location: _ } = block;
            for instruction in instructions {
                self.instruction(f, instruction)?;
            }
            write!(f, "\n  {}", Shown(self.0, end))?;
        }
        Ok(())
    }
}

impl Shown<'_, Function> {
    fn instruction(&self, f: &mut Formatter<'_>, instruction: &Instruction) -> fmt::Result {
        let Instruction { result, act, location, site } = instruction;
        f.write_str("\n  ")?;
        if let Some(register) = result {
            write!(f, "r{}: {} = ", register.0, self.1.registers[register.0 as usize])?;
        }
        write!(f, "{}", Shown(self.0, act))?;
        if *location != LocationId(0) || site.is_some() {
            write!(f, "    ; {}", Shown(self.0, location))?;
        }
        if let Some(site) = site {
            write!(f, " site {}", site.0)?;
        }
        Ok(())
    }
}

impl Display for Shown<'_, End> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let code = self.0;
        let way = |(id, edge): &(ConstantId, Edge)| {
            format!("{} => {}", Shown(code, &Operand::Constant(*id)), Shown(code, edge))
        };
        match self.1 {
            End::Return(None) => f.write_str("return"),
            End::Return(Some(value)) => write!(f, "return {}", Shown(code, value)),
            End::Jump(edge) => write!(f, "jump {}", Shown(code, edge)),
            End::Branch { condition, then, otherwise } => write!(
                f,
                "branch {} then {} else {}",
                Shown(code, condition),
                Shown(code, then),
                Shown(code, otherwise)
            ),
            End::Switch { on, cases, default } => write!(
                f,
                "switch {} {{{}}} else {}",
                Shown(code, on),
                joined(cases.iter().map(way)),
                Shown(code, default)
            ),
            End::Computed { to, edges } => {
                write!(f, "goto {} {{{}}}", Shown(code, to), joined(edges.iter().map(way)))
            }
            End::Unreachable => f.write_str("unreachable"),
            End::Unknown(text) => write!(f, "unknown `{text}`"),
        }
    }
}

impl Display for Shown<'_, Edge> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.1.to.0)?;
        if self.1.moves.is_empty() {
            return Ok(());
        }
        let moved = self
            .1
            .moves
            .iter()
            .map(|(register, operand)| format!("r{} = {}", register.0, Shown(self.0, operand)));
        write!(f, "({})", joined(moved))
    }
}

impl Display for Shown<'_, Operand> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Register(register) => write!(f, "r{}", register.0),
            Operand::Constant(id) => write!(f, "{}", Shown(self.0, &self.0.constant(*id).1)),
        }
    }
}

impl Display for Shown<'_, Constant> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Constant::Integer(word) => f.write_str(&signed(word)),
            Constant::Float(format, word) => {
                let float = Float::from_word(*format, word.clone());
                if float.is_nan() { write!(f, "NaN {word:#x}") } else { write!(f, "{float}") }
            }
            Constant::Address { of, offset } => {
                match of {
                    Place::Nowhere => return write!(f, "address {offset}"),
                    Place::Global(id) => write!(f, "@{}", self.0.global(*id).name)?,
                    Place::Function(id) => write!(f, "@{}", self.0.function(*id).name)?,
                }
                if *offset != 0 { write!(f, "{offset:+}") } else { Ok(()) }
            }
            Constant::Undefined(_) => f.write_str("undefined"),
            Constant::Poison(_) => f.write_str("poison"),
            Constant::Zero(Type::Pointer) => f.write_str("null"),
            Constant::Zero(_) => f.write_str("zero"),
            Constant::Parts(_, parts) => {
                write!(f, "[{}]", joined(parts.iter().map(|part| Shown(self.0, part))))
            }
            Constant::Bytes(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
        }
    }
}

impl Display for Shown<'_, Act> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let one = |operand: &Operand| Shown(self.0, operand).to_string();
        let all = |operands: &[Operand]| joined(operands.iter().map(one));
        match self.1 {
            Act::Integer { operation, bits: _, operands, promises } => {
                write!(f, "{} {}", name(operation), all(operands))?;
                for (promised, word) in [
                    (promises.no_unsigned_wrap, " nuw"),
                    (promises.no_signed_wrap, " nsw"),
                    (promises.exact, " exact"),
                ] {
                    if promised {
                        f.write_str(word)?;
                    }
                }
                Ok(())
            }
            Act::IntegerUnary { operation, bits: _, operand } => {
                write!(f, "{} {}", name(operation), one(operand))
            }
            Act::FunnelShift { left, bits: _, operands } => {
                let direction = if *left { "left" } else { "right" };
                write!(f, "funnel-shift {direction} {}", all(operands))
            }
            Act::IntegerCompare { predicate, bits, operands } => {
                write!(f, "{} i{bits} {}", name(predicate), all(operands))
            }
            Act::Convert { conversion, operand, from, to: _ } => {
                write!(f, "{} {from} {}", name(conversion), one(operand))
            }
            Act::Float { operation, parameters, mode, operands, relaxed } => {
                let word = name(operation);
                write!(f, "{word}")?;
                if word.starts_with("to-") || word == "convert" {
                    write!(f, " {}", parameters.format)?;
                }
                write!(f, " {}", all(operands))?;
                if let Mode::Fixed(rounding) = mode {
                    write!(f, " {}", rounding.smtlib_name())?;
                }
                if parameters.out_of_range != OutOfRange::Undefined {
                    write!(f, " or {}", parameters.out_of_range.name())?;
                }
                if *relaxed { f.write_str(" relaxed") } else { Ok(()) }
            }
            Act::FloatCompare { predicate, signaling, format, operands } => {
                let signaling = if *signaling { " signaling" } else { "" };
                write!(f, "{} {format} {}{signaling}", name(predicate), all(operands))
            }
            Act::Classify { mask, format, operand } => {
                write!(f, "classify {format} {} {mask:#x}", one(operand))
            }
            Act::Select { operands } => write!(f, "select {}", all(operands)),
            Act::Freeze { operand } => write!(f, "freeze {}", one(operand)),
            Act::Allocate { size, count, alignment, name } => {
                write!(f, "allocate {} x {size} bytes, align {alignment}", one(count))?;
                if name.is_empty() { Ok(()) } else { write!(f, " `{name}`") }
            }
            Act::Offset { base, constant, scaled, inbounds } => {
                write!(f, "offset {}", one(base))?;
                if *constant != 0 || scaled.is_empty() {
                    write!(f, " {constant:+}")?;
                }
                for (index, scale) in scaled {
                    write!(f, " + {} * {scale}", one(index))?;
                }
                if *inbounds { f.write_str(" inbounds") } else { Ok(()) }
            }
            Act::Load { ty, address } => write!(f, "load {ty} {}", one(address)),
            Act::Store { ty, address, value } => {
                write!(f, "store {ty} {}, {}", one(address), one(value))
            }
            Act::Call { callee, arguments, types: _ } => match callee {
                Callee::Function(id) => {
                    write!(f, "call {}({})", Shown(self.0, id), all(arguments))
                }
                Callee::Address(address) => {
                    write!(f, "call {}({})", one(address), all(arguments))
                }
            },
            Act::Special { special, operands } => {
                let special = Spelled(special);
                if operands.is_empty() {
                    return write!(f, "{special}");
                }
                write!(f, "{special} {}", all(operands))
            }
            Act::Lane { operands } => write!(f, "lane {}", all(operands)),
            Act::SetLane { operands } => write!(f, "set-lane {}", all(operands)),
            Act::Shuffle { operands, mask } => {
                let mask = mask.iter().map(|lane| match lane {
                    Some(lane) => lane.to_string(),
                    None => "_".into(),
                });
                write!(f, "shuffle {} [{}]", all(operands), joined(mask))
            }
            Act::Member { operand, path } => {
                write!(f, "member {} [{}]", one(operand), joined(path.iter()))
            }
            Act::SetMember { operands, path } => {
                write!(f, "set-member {} [{}]", all(operands), joined(path.iter()))
            }
            Act::Unknown { text, operands } => {
                write!(f, "unknown `{text}` {}", all(operands))
            }
        }
    }
}

/// A special act with what belongs to it.
struct Spelled<'a>(&'a Special);

impl Display for Spelled<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Special::Copy { may_overlap: true } => f.write_str("move"),
            Special::Copy { may_overlap: false } => f.write_str("copy"),
            Special::Fraction(format) => write!(f, "fraction {format}"),
            Special::Scale(format) => write!(f, "scale {format}"),
            Special::Libm(function, format) => write!(f, "libm {} {format}", function.name()),
            Special::IntegerPower(format) => write!(f, "libm powi {format}"),
            Special::ReduceInteger(operation) => write!(f, "reduce {}", name(operation)),
            Special::ReduceFloat(operation) => write!(f, "reduce {}", name(operation)),
            plain @ (Special::Fill
            | Special::StackSave
            | Special::StackRestore
            | Special::ObjectSize
            | specials!(Variadic, Control, Environment)) => f.write_str(&name(plain)),
        }
    }
}

/// The name of a variant in small letters: `SignedDiv` is `signed-div`.
fn name(variant: &impl fmt::Debug) -> String {
    let mut text = String::new();
    for (i, letter) in format!("{variant:?}").chars().enumerate() {
        if letter.is_uppercase() && i > 0 {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// An integer as a signed number, or in hexadecimal when it is wide.
fn signed(word: &Word) -> String {
    let width = word.width();
    match word.to_u128() {
        Some(value) if (2..=64).contains(&width) => {
            (((value << (128 - width)) as i128) >> (128 - width)).to_string()
        }
        Some(value) if width <= 64 => value.to_string(),
        Some(_) | None => format!("{word:#x}"),
    }
}

fn joined<T: Display>(items: impl Iterator<Item = T>) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}
