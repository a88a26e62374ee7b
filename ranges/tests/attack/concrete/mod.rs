//! A small interpreter of the representation on numbers: what the analysis of ranges must
//! cover. It shares nothing with the analysis but the operation table.

use nanoscope_ieee::{
    Datum, Flags, Float, Format, Libm, Operation, Parameters, Rounding, Sort, Word, evaluate,
};
use nanoscope_program::ir::*;
use nanoscope_program::{Exception, Program, SiteId, Target, distance};
use std::collections::{BTreeMap, BTreeSet};

/// A value: bits, or parts.
#[derive(Clone, Debug)]
pub enum Val {
    Bits(u128),
    Parts(Vec<Val>),
}

/// What a run has seen.
#[derive(Default)]
pub struct Seen {
    /// Exceptions raised.
    pub raised: BTreeSet<(SiteId, Exception)>,
    /// Operands and result of every execution of a site.
    pub sites: Vec<(SiteId, Vec<u128>, u128)>,
    /// Blocks run.
    pub blocks: BTreeSet<(FunctionId, BlockId)>,
}

/// Why a run ended early; nothing is wrong with what was seen until then.
pub struct Ended;

type Step<T> = Result<T, Ended>;

pub struct Interpreter<'a> {
    code: &'a Code,
    program: &'a Program,
    memory: BTreeMap<u64, Vec<u8>>,
    globals: Vec<u64>,
    next: u64,
    fuel: u64,
    pub seen: Seen,
    depth: u32,
}

const FUNCTIONS: u64 = 1 << 40;

impl<'a> Interpreter<'a> {
    pub fn new(code: &'a Code, program: &'a Program, fuel: u64) -> Interpreter<'a> {
        let mut machine = Interpreter {
            code,
            program,
            memory: BTreeMap::new(),
            globals: Vec::new(),
            next: 1 << 20,
            fuel,
            seen: Seen::default(),
            depth: 0,
        };
        for global in &code.globals {
            let at = machine.allocate(global.size);
            machine.globals.push(at);
        }
        for (i, global) in code.globals.iter().enumerate() {
            if let Some(initial) = &global.initial {
                let value = machine.constant(initial, &global.ty);
                let at = machine.globals[i];
                let _ = machine.store(at, &global.ty, &value);
            }
        }
        machine
    }

    /// Runs a target's entry on words of input.
    pub fn run(&mut self, target: &Target, words: &[u64]) -> Step<()> {
        let inputs = self.allocate(8 * target.input_words as u64);
        let outputs = self.allocate(8 * target.output_words as u64);
        for (i, word) in words.iter().enumerate() {
            self.write(inputs + 8 * i as u64, &word.to_le_bytes())?;
        }
        let entry = self.code.named(&format!("nanoscope_run_{}", target.entry)).expect("an entry");
        self.call(entry, vec![Val::Bits(inputs.into()), Val::Bits(outputs.into())])?;
        Ok(())
    }

    fn allocate(&mut self, size: u64) -> u64 {
        let at = self.next;
        self.memory.insert(at, vec![0; size as usize]);
        self.next = (at + size + 64).next_multiple_of(64);
        at
    }

    fn read(&self, at: u64, bytes: u64) -> Step<Vec<u8>> {
        let (start, data) = self.memory.range(..=at).next_back().ok_or(Ended)?;
        let from = (at - start) as usize;
        data.get(from..from + bytes as usize).map(<[u8]>::to_vec).ok_or(Ended)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> Step<()> {
        let (start, data) = self.memory.range_mut(..=at).next_back().ok_or(Ended)?;
        let from = (at - start) as usize;
        data.get_mut(from..from + bytes.len()).ok_or(Ended)?.copy_from_slice(bytes);
        Ok(())
    }

    fn parts(ty: &Type) -> Vec<(u64, Type)> {
        match ty {
            Type::Vector(lane, count) => {
                let step = lane.stored_bytes();
                (0..u64::from(*count)).map(|i| (i * step, (**lane).clone())).collect()
            }
            Type::Aggregate(aggregate) => (0..aggregate.count())
                .map(|i| aggregate.member(i).map(|(at, ty)| (at, ty.clone())).expect("a member"))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn is_whole(ty: &Type) -> bool {
        matches!(ty, Type::Vector(..) | Type::Aggregate(_))
    }

    fn load(&self, at: u64, ty: &Type) -> Step<Val> {
        if Self::is_whole(ty) {
            let parts = Self::parts(ty);
            let values = parts.iter().map(|(offset, ty)| self.load(at + offset, ty));
            return Ok(Val::Parts(values.collect::<Step<_>>()?));
        }
        let bytes = self.read(at, ty.stored_bytes())?;
        let value = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
        Ok(Val::Bits(value & mask(ty.bits().unwrap_or(64))))
    }

    fn store(&mut self, at: u64, ty: &Type, value: &Val) -> Step<()> {
        match value {
            Val::Parts(values) => {
                for (value, (offset, ty)) in values.iter().zip(Self::parts(ty)) {
                    self.store(at + offset, &ty, value)?;
                }
                Ok(())
            }
            Val::Bits(bits) => self.write(at, &bits.to_le_bytes()[..ty.stored_bytes() as usize]),
        }
    }

    fn constant(&self, constant: &Constant, ty: &Type) -> Val {
        match constant {
            Constant::Integer(word) | Constant::Float(_, word) => {
                Val::Bits(word.to_u128().unwrap_or(0))
            }
            Constant::Address { of, offset } => {
                let base = match of {
                    Place::Nowhere => 0,
                    Place::Global(id) => self.globals[id.0 as usize],
                    Place::Function(id) => FUNCTIONS + 4096 * u64::from(id.0),
                };
                Val::Bits(u128::from(base.wrapping_add_signed(*offset)))
            }
            Constant::Undefined(_) | Constant::Poison(_) | Constant::Zero(_) => Self::zero(ty),
            Constant::Parts(_, parts) => {
                let types = Self::parts(ty);
                Val::Parts(
                    parts.iter().zip(types).map(|(c, (_, t))| self.constant(c, &t)).collect(),
                )
            }
            Constant::Bytes(bytes) => {
                Val::Parts(bytes.iter().map(|b| Val::Bits((*b).into())).collect())
            }
        }
    }

    fn zero(ty: &Type) -> Val {
        if Self::is_whole(ty) {
            Val::Parts(Self::parts(ty).iter().map(|(_, ty)| Self::zero(ty)).collect())
        } else {
            Val::Bits(0)
        }
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Val>) -> Step<Option<Val>> {
        let function = self.code.function(id);
        self.depth += 1;
        if self.depth > 60 {
            return Err(Ended);
        }
        let mut registers: Vec<Option<Val>> = vec![None; function.registers.len()];
        for (i, value) in arguments.into_iter().take(function.parameters.len()).enumerate() {
            registers[i] = Some(value);
        }
        let mut at = BlockId(0);
        loop {
            self.seen.blocks.insert((id, at));
            let block = function.block(at);
            for instruction in &block.instructions {
                self.fuel = self.fuel.checked_sub(1).ok_or(Ended)?;
                self.step(function, &mut registers, instruction)?;
            }
            self.fuel = self.fuel.checked_sub(1).ok_or(Ended)?;
            let edge = match &block.end {
                End::Return(operand) => {
                    self.depth -= 1;
                    return operand.map(|o| self.operand(&registers, o)).transpose();
                }
                End::Jump(edge) => edge,
                End::Branch { condition, then, otherwise } => {
                    if self.bits(&registers, *condition)? & 1 == 1 { then } else { otherwise }
                }
                End::Switch { on, cases, default } => {
                    let value = self.bits(&registers, *on)?;
                    let found = cases.iter().find(|(constant, _)| {
                        let (ty, constant) = self.code.constant(*constant);
                        matches!(self.constant(constant, ty), Val::Bits(bits) if bits == value)
                    });
                    found.map_or(default, |(_, edge)| edge)
                }
                End::Computed { .. } | End::Unreachable | End::Unknown(_) => return Err(Ended),
            };
            let values = edge.moves.iter().map(|(_, from)| self.operand(&registers, *from));
            let values: Vec<Val> = values.collect::<Step<_>>()?;
            for ((to, _), value) in edge.moves.iter().zip(values) {
                registers[to.0 as usize] = Some(value);
            }
            at = edge.to;
        }
    }

    fn operand(&self, registers: &[Option<Val>], operand: Operand) -> Step<Val> {
        match operand {
            Operand::Register(Register(r)) => registers[r as usize].clone().ok_or(Ended),
            Operand::Constant(id) => {
                let (ty, constant) = self.code.constant(id);
                Ok(self.constant(constant, ty))
            }
        }
    }

    fn bits(&self, registers: &[Option<Val>], operand: Operand) -> Step<u128> {
        match self.operand(registers, operand)? {
            Val::Bits(bits) => Ok(bits),
            Val::Parts(_) => Err(Ended),
        }
    }

    fn type_of<'t>(&'t self, function: &'t Function, operand: Operand) -> &'t Type {
        match operand {
            Operand::Register(Register(r)) => &function.registers[r as usize],
            Operand::Constant(id) => &self.code.constant(id).0,
        }
    }

    fn step(
        &mut self,
        function: &Function,
        registers: &mut [Option<Val>],
        instruction: &Instruction,
    ) -> Step<()> {
        let result_type =
            instruction.result.map_or(Type::Void, |r| function.registers[r.0 as usize].clone());
        if result_type.lanes().is_some() {
            return Err(Ended);
        }
        let value = match &instruction.act {
            Act::Integer { operation, bits, operands, .. } => {
                let [a, b] =
                    [self.bits(registers, operands[0])?, self.bits(registers, operands[1])?];
                let value = integer(*operation, *bits, a, b).ok_or(Ended)?;
                if let Val::Bits(result) = value {
                    self.site(instruction, &[a, b], result);
                }
                value
            }
            Act::IntegerCompare { predicate, bits, operands } => {
                let [a, b] =
                    [self.bits(registers, operands[0])?, self.bits(registers, operands[1])?];
                Val::Bits(compare(*predicate, *bits, a, b).into())
            }
            Act::Convert { conversion, operand, from, to } => {
                let value = self.bits(registers, *operand)?;
                let (from, to) = (from.bits().ok_or(Ended)?, to.bits().ok_or(Ended)?);
                let result = match conversion {
                    IntegerConversion::SignExtend => signed(value, from) as u128 & mask(to),
                    _ => value & mask(to),
                };
                self.site(instruction, &[value], result);
                Val::Bits(result)
            }
            Act::Float { operation, parameters, mode, operands, .. } => {
                let list = operands.iter().map(|o| self.bits(registers, *o));
                let list: Vec<u128> = list.collect::<Step<_>>()?;
                let rounding = match mode {
                    Mode::Dynamic => Rounding::NearestEven,
                    Mode::Fixed(rounding) => *rounding,
                };
                let result = float(*operation, parameters, rounding, &list);
                self.site(instruction, &list, result);
                Val::Bits(result)
            }
            Act::FloatCompare { predicate, format, operands, .. } => {
                let value = |o| Ok(Float::from_bits(*format, self.bits(registers, o)?));
                let (a, b) = (value(operands[0])?, value(operands[1])?);
                Val::Bits(related(*predicate, &a, &b).into())
            }
            Act::Select { operands } => {
                let chosen = if self.bits(registers, operands[0])? & 1 == 1 { 1 } else { 2 };
                self.operand(registers, operands[chosen])?
            }
            Act::Freeze { operand } => self.operand(registers, *operand)?,
            Act::Allocate { size, count, .. } => {
                let count = self.bits(registers, *count)? as u64;
                Val::Bits(self.allocate(size * count.min(1 << 16)).into())
            }
            Act::Offset { base, constant, scaled, .. } => {
                let mut at = (self.bits(registers, *base)? as u64).wrapping_add_signed(*constant);
                for (index, bytes) in scaled.iter() {
                    let width = self.type_of(function, *index).bits().ok_or(Ended)?;
                    let index = signed(self.bits(registers, *index)?, width) as i64;
                    at = at.wrapping_add_signed(index.wrapping_mul(*bytes));
                }
                Val::Bits(at.into())
            }
            Act::Load { ty, address } => {
                let at = self.bits(registers, *address)? as u64;
                self.load(at, ty)?
            }
            Act::Store { ty, address, value } => {
                let at = self.bits(registers, *address)? as u64;
                let value = self.operand(registers, *value)?;
                return self.store(at, ty, &value);
            }
            Act::Member { operand, path } => {
                let mut value = self.operand(registers, *operand)?;
                for index in path.iter() {
                    value = match value {
                        Val::Parts(parts) => parts[*index as usize].clone(),
                        Val::Bits(_) => return Err(Ended),
                    };
                }
                value
            }
            Act::Call { callee: Callee::Function(id), arguments, types } => {
                let list = arguments.iter().map(|o| self.operand(registers, *o));
                let list: Vec<Val> = list.collect::<Step<_>>()?;
                let callee = self.code.function(*id);
                if callee.parameters.iter().any(|p| p.copied.is_some()) {
                    return Err(Ended);
                }
                let value = if callee.is_defined() {
                    self.call(*id, list)?
                } else {
                    Some(self.foreign(instruction, callee, &list, types, &result_type)?)
                };
                match (instruction.result, value) {
                    (Some(_), Some(value)) => value,
                    (None, _) => return Ok(()),
                    (Some(_), None) => return Err(Ended),
                }
            }
            Act::Special { special: Special::Fill, operands } => {
                let at = self.bits(registers, operands[0])? as u64;
                let byte = self.bits(registers, operands[1])? as u8;
                let count = self.bits(registers, operands[2])? as usize;
                return self.write(at, &vec![byte; count]);
            }
            Act::Special { special: Special::Copy { .. }, operands } => {
                let to = self.bits(registers, operands[0])? as u64;
                let from = self.bits(registers, operands[1])? as u64;
                let count = self.bits(registers, operands[2])? as u64;
                let bytes = self.read(from, count)?;
                return self.write(to, &bytes);
            }
            // What is not needed here ends the run.
            _ => return Err(Ended),
        };
        if let Some(Register(r)) = instruction.result {
            registers[r as usize] = Some(value);
        }
        Ok(())
    }

    fn foreign(
        &mut self,
        instruction: &Instruction,
        callee: &Function,
        arguments: &[Val],
        types: &[Type],
        result: &Type,
    ) -> Step<Val> {
        if callee.never_returns {
            return Err(Ended);
        }
        let floats: Vec<u128> = arguments
            .iter()
            .zip(types)
            .filter_map(|(value, ty)| match (value, ty) {
                (Val::Bits(bits), Type::Float(Format::BINARY64)) => Some(*bits),
                _ => None,
            })
            .collect();
        let x = floats.iter().map(|bits| f64::from_bits(*bits as u64)).collect::<Vec<_>>();
        let libm = Libm::from_name(&callee.name).filter(|function| function.arity() == x.len());
        let value = match (callee.name.as_str(), x.as_slice()) {
            (_, [x, rest @ ..]) if libm.is_some() => {
                libm.expect("it is").of_doubles(*x, rest.first().copied().unwrap_or(0.0))
            }
            ("sqrt", [x]) => x.sqrt(),
            ("fmod", [x, y]) => x % y,
            ("fabs", [x]) => x.abs(),
            ("floor", [x]) => x.floor(),
            ("ceil", [x]) => x.ceil(),
            // Any other code may do nothing and give zero.
            _ if callee.name.starts_with("gsl_") => return Ok(Self::zero(result)),
            _ => return Err(Ended),
        };
        let bits = value.to_bits().into();
        self.site(instruction, &floats, bits);
        Ok(Val::Bits(bits))
    }

    fn site(&mut self, instruction: &Instruction, operands: &[u128], result: u128) {
        let Some(site) = instruction.site else { return };
        let known = &self.program.sites()[site.0 as usize];
        for exception in known.action.exceptions() {
            if distance(known.action, known.format, exception, operands, result) == 0 {
                self.seen.raised.insert((site, exception));
            }
        }
        if self.seen.sites.len() < 20_000 {
            self.seen.sites.push((site, operands.to_vec(), result));
        }
    }
}

fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits.clamp(1, 128))
}

fn signed(value: u128, bits: u32) -> i128 {
    let unused = 128 - bits;
    ((value << unused) as i128) >> unused
}

fn integer(operation: IntegerOperation, bits: u32, a: u128, b: u128) -> Option<Val> {
    use IntegerOperation::*;
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let value = match operation {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        UnsignedDiv => a.checked_div(b)?,
        SignedDiv => sa.checked_div(sb)? as u128,
        UnsignedRem => a.checked_rem(b)?,
        SignedRem => sa.checked_rem(sb)? as u128,
        ShiftLeft if b < bits.into() => a << b,
        LogicalShiftRight if b < bits.into() => a >> b,
        ArithmeticShiftRight if b < bits.into() => (sa >> b) as u128,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        UnsignedMin => a.min(b),
        UnsignedMax => a.max(b),
        SignedMin => sa.min(sb) as u128,
        SignedMax => sa.max(sb) as u128,
        _ => return None,
    };
    Some(Val::Bits(value & mask(bits)))
}

fn compare(predicate: IntegerPredicate, bits: u32, a: u128, b: u128) -> bool {
    use IntegerPredicate::*;
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match predicate {
        Equal => a == b,
        NotEqual => a != b,
        UnsignedGreater => a > b,
        UnsignedGreaterEqual => a >= b,
        UnsignedLess => a < b,
        UnsignedLessEqual => a <= b,
        SignedGreater => sa > sb,
        SignedGreaterEqual => sa >= sb,
        SignedLess => sa < sb,
        SignedLessEqual => sa <= sb,
    }
}

fn related(predicate: FloatPredicate, a: &Float, b: &Float) -> bool {
    use FloatPredicate::*;
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = a.partial_order(b);
    match predicate {
        False => false,
        OrderedEqual => order == Some(Equal),
        OrderedGreater => order == Some(Greater),
        OrderedGreaterEqual => matches!(order, Some(Greater | Equal)),
        OrderedLess => order == Some(Less),
        OrderedLessEqual => matches!(order, Some(Less | Equal)),
        OrderedNotEqual => matches!(order, Some(Less | Greater)),
        Ordered => order.is_some(),
        Unordered => order.is_none(),
        UnorderedEqual => matches!(order, None | Some(Equal)),
        UnorderedGreater => matches!(order, None | Some(Greater)),
        UnorderedGreaterEqual => matches!(order, None | Some(Greater | Equal)),
        UnorderedLess => matches!(order, None | Some(Less)),
        UnorderedLessEqual => matches!(order, None | Some(Less | Equal)),
        UnorderedNotEqual => order != Some(Equal),
        True => true,
    }
}

fn float(
    operation: Operation,
    parameters: &Parameters,
    rounding: Rounding,
    operands: &[u128],
) -> u128 {
    let mut rest = operands.iter();
    let data: Vec<_> = operation
        .operands()
        .iter()
        .map(|sort| match sort {
            Sort::Rounding => Datum::Rounding(Word::from(rounding)),
            Sort::Float => {
                let bits = *rest.next().expect("an operand");
                Datum::Float(Word::new(parameters.format.width(), bits))
            }
            Sort::Bits => {
                Datum::Bits(Word::new(parameters.width, *rest.next().expect("an operand")))
            }
            Sort::Bool => Datum::Bool(*rest.next().expect("an operand") == 1),
        })
        .collect();
    let (datum, _): (_, Flags) = evaluate(operation, parameters, &data).expect("its operands");
    match datum {
        Datum::Float(word) | Datum::Bits(word) | Datum::Rounding(word) => {
            word.to_u128().expect("at most 128 bits")
        }
        Datum::Bool(bit) => bit.into(),
    }
}
