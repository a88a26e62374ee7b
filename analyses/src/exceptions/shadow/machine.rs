//! The machine of the shadow run: functions, blocks, instructions.

use super::act::{part_type, unmodelled, zero};
use super::integer::masked;
use super::memory::Memory;
use super::real::{Arithmetic, Real};
use super::{Output, Stuck, bytes_of, outside};
use nanoscope_ieee::Format;
use nanoscope_program::ir::{
    Code, Constant, ConstantId, Edge, End, Function, FunctionId, GlobalId, Operand, Place,
    Register, Type,
};
use nanoscope_program::{Scalar, Target};
use nanoscope_search::Budget;
use std::sync::Arc;

/// What a register holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An integer or an address.
    Bits(u128),
    /// A float.
    Real(Real),
    /// An integer that is the encoding of a float: it becomes bits when somebody computes
    /// with it, and the exact float again when it is read as one.
    Coded(Format, Real),
    /// Lanes, members, elements.
    Parts(Arc<[Value]>),
}

impl Value {
    /// As an integer.
    pub fn bits(&self) -> u128 {
        match self {
            Value::Bits(bits) => *bits,
            Value::Coded(format, value) => value.encoded(*format),
            Value::Real(value) => value.encoded(Format::BINARY64),
            Value::Parts(_) => 0,
        }
    }

    /// As a float of a format.
    pub fn real(&self, format: Format) -> Real {
        match self {
            Value::Real(value) => value.clone(),
            Value::Coded(coded, value) if *coded == format => value.clone(),
            Value::Bits(_) | Value::Coded(..) => Real::decoded(format, self.bits()),
            Value::Parts(_) => Real::Nan,
        }
    }

    pub fn parts(&self) -> &[Value] {
        match self {
            Value::Parts(parts) => parts,
            Value::Bits(_) | Value::Real(_) | Value::Coded(..) => std::slice::from_ref(self),
        }
    }
}

/// How deep calls may go.
const DEEPEST: u32 = 200;

/// Addresses of functions, sixteen bytes each: in no object.
const FUNCTIONS: u64 = 0xff_ffff << 40;

/// A function that is being run.
pub(super) struct Frame<'c> {
    function: &'c Function,
    registers: Vec<Value>,
    /// Objects that end with it.
    pub stack: Vec<u64>,
}

impl Frame<'_> {
    /// The type of a register.
    pub fn ty(&self, Register(at): Register) -> &Type {
        &self.function.registers[at as usize]
    }
}

pub(super) struct Machine<'c> {
    pub code: &'c Code,
    pub arithmetic: Arithmetic,
    pub memory: Memory,
    constants: Vec<Option<Value>>,
    globals: Vec<Option<u64>>,
    errno: Option<u64>,
    steps: u64,
    depth: u32,
    budget: &'c Budget,
}

impl<'c> Machine<'c> {
    pub fn new(
        code: &'c Code,
        precision: u32,
        steps: u64,
        budget: &'c Budget,
    ) -> Result<Machine<'c>, Stuck> {
        Ok(Machine {
            code,
            arithmetic: Arithmetic { precision, rounded: false },
            memory: Memory::default(),
            constants: vec![None; code.constants.len()],
            globals: vec![None; code.globals.len()],
            errno: None,
            steps,
            depth: 0,
            budget,
        })
    }

    pub fn has_rounded(&self) -> bool {
        self.arithmetic.rounded
    }

    /// Runs a target's entry.
    pub fn enter(&mut self, target: &Target, point: &[u64]) -> Result<Vec<Output>, Stuck> {
        let name = format!("nanoscope_run_{}", target.entry);
        let entry = self
            .code
            .named(&name)
            .ok_or_else(|| Stuck::new(format!("the representation has no `{name}`")))?;
        let inputs = self.memory.allocate(8 * point.len() as u64)?;
        for (at, word) in point.iter().enumerate() {
            self.memory.store(inputs + 8 * at as u64, 8, u128::from(*word))?;
        }
        let outputs = self.memory.allocate(8 * target.output_words as u64)?;
        let arguments = [inputs, outputs].map(|address| Value::Bits(u128::from(address)));
        self.call(entry, &arguments)?;
        target
            .outputs
            .iter()
            .map(|output| {
                let address = outputs + 8 * output.word as u64;
                let size = bytes_of(output.scalar);
                Ok(match output.scalar {
                    Scalar::Float(format) => Output::Real(self.load_float(format, address)?),
                    Scalar::Integer { bits, .. } => {
                        Output::Bits(masked(self.memory.load(address, size)?, bits))
                    }
                })
            })
            .collect()
    }

    /// Where `errno` is.
    pub fn errno(&mut self) -> Result<u64, Stuck> {
        match self.errno {
            Some(address) => Ok(address),
            None => Ok(*self.errno.insert(self.memory.allocate(4)?)),
        }
    }

    pub fn call(&mut self, id: FunctionId, arguments: &[Value]) -> Result<Value, Stuck> {
        let code = self.code;
        let function = code.function(id);
        if !function.is_defined() {
            let types: Vec<Type> = function.parameters.iter().map(|p| p.ty.clone()).collect();
            return outside::call(self, &function.name, arguments, &types, &function.result);
        }
        if self.depth >= DEEPEST {
            return Err(Stuck::new("its calls go too deep in exact arithmetic"));
        }
        self.depth += 1;
        let mut registers = vec![Value::Bits(0); function.registers.len()];
        for (at, (register, argument)) in registers.iter_mut().zip(arguments).enumerate() {
            *register = argument.clone();
            if let Some((size, _)) = function.parameters.get(at).and_then(|p| p.copied) {
                let copy = self.memory.allocate(size)?;
                self.memory.copy(copy, argument.bits() as u64, size)?;
                *register = Value::Bits(u128::from(copy));
            }
        }
        let mut frame = Frame { function, registers, stack: Vec::new() };
        let mut block = &function.blocks[0];
        let result = loop {
            for instruction in &block.instructions {
                self.step()?;
                let ty = instruction.result.map(|at| &function.registers[at.0 as usize]);
                let value = self.act(&instruction.act, ty, &mut frame)?;
                if let Some(Register(at)) = instruction.result {
                    frame.registers[at as usize] = value;
                }
            }
            self.step()?;
            let edge = match &block.end {
                End::Return(None) => break Value::Bits(0),
                End::Return(Some(operand)) => break self.value(*operand, &frame)?,
                End::Jump(edge) => edge,
                End::Branch { condition, then, otherwise } => {
                    if self.value(*condition, &frame)?.bits() & 1 == 1 { then } else { otherwise }
                }
                End::Switch { on, cases, default } => {
                    self.chosen(*on, cases, &frame)?.unwrap_or(default)
                }
                End::Computed { to, edges } => self
                    .chosen(*to, edges, &frame)?
                    .ok_or_else(|| Stuck::new("a computed goto leads nowhere"))?,
                End::Unreachable => {
                    return Err(Stuck::new("in exact arithmetic it comes where it never should"));
                }
                End::Unknown(text) => return Err(unmodelled(text)),
            };
            self.follow(edge, &mut frame)?;
            block = function.block(edge.to);
        };
        for address in frame.stack {
            self.memory.free(address);
        }
        self.depth -= 1;
        Ok(result)
    }

    fn chosen<'e>(
        &mut self,
        on: Operand,
        cases: &'e [(ConstantId, Edge)],
        frame: &Frame,
    ) -> Result<Option<&'e Edge>, Stuck> {
        let wanted = self.value(on, frame)?.bits();
        for (constant, edge) in cases {
            if self.constant(*constant)?.bits() == wanted {
                return Ok(Some(edge));
            }
        }
        Ok(None)
    }

    fn follow(&mut self, edge: &Edge, frame: &mut Frame) -> Result<(), Stuck> {
        let mut values = Vec::with_capacity(edge.moves.len());
        for (_, operand) in &edge.moves {
            values.push(self.value(*operand, frame)?);
        }
        for ((register, _), value) in edge.moves.iter().zip(values) {
            frame.registers[register.0 as usize] = value;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Stuck> {
        self.steps = self
            .steps
            .checked_sub(1)
            .ok_or_else(|| Stuck::new("it does not end soon in exact arithmetic"))?;
        if self.steps.is_multiple_of(256) && self.budget.exhausted() {
            return Err(Stuck::new("there was no time left for exact arithmetic"));
        }
        Ok(())
    }

    pub fn value(&mut self, operand: Operand, frame: &Frame) -> Result<Value, Stuck> {
        match operand {
            Operand::Register(Register(at)) => Ok(frame.registers[at as usize].clone()),
            Operand::Constant(id) => self.constant(id),
        }
    }

    fn constant(&mut self, id: ConstantId) -> Result<Value, Stuck> {
        if let Some(value) = &self.constants[id.0 as usize] {
            return Ok(value.clone());
        }
        let code = self.code;
        let (ty, constant) = code.constant(id);
        let value = self.constant_value(ty, constant)?;
        self.constants[id.0 as usize] = Some(value.clone());
        Ok(value)
    }

    fn constant_value(&mut self, ty: &Type, constant: &Constant) -> Result<Value, Stuck> {
        Ok(match constant {
            Constant::Integer(word) => Value::Bits(
                word.to_u128().ok_or_else(|| Stuck::new("a constant of more than 128 bits"))?,
            ),
            Constant::Float(format, word) => {
                Value::Real(Real::decoded(*format, word.to_u128().unwrap_or(0)))
            }
            Constant::Address { of, offset } => {
                let base = match of {
                    Place::Nowhere => 0,
                    Place::Global(global) => self.global(*global)?,
                    Place::Function(function) => FUNCTIONS + 16 * u64::from(function.0),
                };
                Value::Bits(u128::from(base.wrapping_add_signed(*offset)))
            }
            Constant::Undefined(_) | Constant::Poison(_) | Constant::Zero(_) => zero(ty),
            Constant::Parts(_, parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for (at, part) in parts.iter().enumerate() {
                    let ty = part_type(ty, at as u64).ok_or_else(|| unmodelled("a constant"))?;
                    values.push(self.constant_value(&ty, part)?);
                }
                Value::Parts(values.into())
            }
            Constant::Bytes(bytes) => {
                Value::Parts(bytes.iter().map(|byte| Value::Bits(u128::from(*byte))).collect())
            }
        })
    }

    fn global(&mut self, id: GlobalId) -> Result<u64, Stuck> {
        if let Some(address) = self.globals[id.0 as usize] {
            return Ok(address);
        }
        let code = self.code;
        let global = code.global(id);
        let address = self.memory.allocate(global.size.max(1))?;
        // Known before it is filled: it may hold its own address.
        self.globals[id.0 as usize] = Some(address);
        match &global.initial {
            Some(initial) => {
                let value = self.constant_value(&global.ty, initial)?;
                self.store(&global.ty, address, &value)?;
                Ok(address)
            }
            None => Err(Stuck::new(format!(
                "it reads `{}`, which is not among the sources",
                global.name
            ))),
        }
    }

    pub fn load(&mut self, ty: &Type, address: u64) -> Result<Value, Stuck> {
        let size = ty.stored_bytes();
        Ok(match ty {
            Type::Void => Value::Bits(0),
            Type::Float(format) => Value::Real(self.load_float(*format, address)?),
            Type::Integer(bits) if *bits <= 128 => match self.memory.cell(address, size)? {
                Some((format, value)) if u64::from(*bits) == 8 * size => {
                    Value::Coded(format, value)
                }
                Some(_) | None => Value::Bits(masked(self.memory.load(address, size)?, *bits)),
            },
            Type::Integer(bits) => return Err(Stuck::new(format!("an integer of {bits} bits"))),
            Type::Pointer => Value::Bits(self.memory.load(address, 8)?),
            Type::Vector(lane, lanes) => {
                let bits = u64::from(lane.bits().unwrap_or(0));
                if bits % 8 != 0 {
                    let whole = self.memory.load(address, size)?;
                    let lane = |at: u64| Value::Bits(masked(whole >> (bits * at), bits as u32));
                    return Ok(Value::Parts((0..u64::from(*lanes)).map(lane).collect()));
                }
                let mut parts = Vec::new();
                for at in 0..u64::from(*lanes) {
                    parts.push(self.load(lane, address + at * bits / 8)?);
                }
                Value::Parts(parts.into())
            }
            Type::Aggregate(aggregate) => {
                let mut parts = Vec::new();
                for at in 0..aggregate.count() {
                    let (offset, ty) = aggregate.member(at).expect("counted");
                    parts.push(self.load(ty, address + offset)?);
                }
                Value::Parts(parts.into())
            }
        })
    }

    fn load_float(&mut self, format: Format, address: u64) -> Result<Real, Stuck> {
        let size = Type::Float(format).stored_bytes();
        match self.memory.cell(address, size)? {
            Some((stored, value)) if stored == format => Ok(value),
            Some(_) | None => Ok(Real::decoded(format, self.memory.load(address, size)?)),
        }
    }

    pub fn store(&mut self, ty: &Type, address: u64, value: &Value) -> Result<(), Stuck> {
        let size = ty.stored_bytes();
        match ty {
            Type::Void => Ok(()),
            Type::Float(format) => self.memory.store_real(address, *format, value.real(*format)),
            Type::Integer(bits) if *bits > 128 => {
                Err(Stuck::new(format!("an integer of {bits} bits")))
            }
            Type::Integer(_) | Type::Pointer => {
                self.memory.store(address, size, value.bits())?;
                match value {
                    Value::Coded(format, real) if u64::from(format.width()) <= 8 * size => {
                        self.memory.store_real(address, *format, real.clone())
                    }
                    Value::Bits(_) | Value::Real(_) | Value::Coded(..) | Value::Parts(_) => Ok(()),
                }
            }
            Type::Vector(lane, _) => {
                let bits = u64::from(lane.bits().unwrap_or(0));
                if bits % 8 != 0 {
                    let whole =
                        value.parts().iter().rev().fold(0, |whole, lane| {
                            whole << bits | masked(lane.bits(), bits as u32)
                        });
                    return self.memory.store(address, size, whole);
                }
                for (at, part) in value.parts().iter().enumerate() {
                    self.store(lane, address + at as u64 * bits / 8, part)?;
                }
                Ok(())
            }
            Type::Aggregate(aggregate) => {
                for (at, part) in value.parts().iter().enumerate() {
                    let Some((offset, ty)) = aggregate.member(at as u64) else { break };
                    self.store(ty, address + offset, part)?;
                }
                Ok(())
            }
        }
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Result<FunctionId, Stuck> {
        let number = address.wrapping_sub(FUNCTIONS) / 16;
        if (number as usize) < self.code.functions.len() {
            return Ok(FunctionId(number as u32));
        }
        Err(Stuck::new("in exact arithmetic it calls through a wrong pointer"))
    }
}
