//! What every [`Code`] keeps: each name names something, each register is assigned in one
//! place of the text, and types fit.

use super::{
    Act, Aggregate, Callee, Code, Constant, ConstantId, Edge, End, Function, FunctionId, GlobalId,
    Instruction, IntegerConversion, IntegerOperation, Operand, Place, Register, Special, Type,
};
use crate::{integer_operations, specials};
use nanoscope_ieee::{Format, Operation, Sort};
use std::collections::BTreeMap;

impl Code {
    /// Checks what the rest of the house relies on; every breach in words.
    pub fn check(&self) -> Result<(), Vec<String>> {
        let mut breaches = Vec::new();
        for (number, (ty, constant)) in self.constants.iter().enumerate() {
            if let Err(why) = self.check_constant(ty, constant) {
                breaches.push(format!("constant {number}: {why}"));
            }
        }
        for global in &self.globals {
            if let Some(initial) = &global.initial
                && let Err(why) = self.check_constant(&global.ty, initial)
            {
                breaches.push(format!("@{}: {why}", global.name));
            }
        }
        for id in self.symbols.values().chain(&self.constructors).chain(&self.destructors) {
            if id.0 as usize >= self.functions.len() {
                breaches.push(format!("no function {}", id.0));
            }
        }
        for function in self.functions.iter().filter(|function| function.is_defined()) {
            let found = Checker { code: self, function }.function();
            breaches
                .extend(found.into_iter().map(|breach| format!("@{}: {breach}", function.name)));
        }
        if breaches.is_empty() { Ok(()) } else { Err(breaches) }
    }

    fn check_constant(&self, ty: &Type, constant: &Constant) -> Result<(), String> {
        let fits = match constant {
            Constant::Integer(word) => *ty == Type::Integer(word.width()),
            Constant::Float(format, word) => {
                *ty == Type::Float(*format) && word.width() == format.width()
            }
            Constant::Address { of, .. } => {
                match of {
                    Place::Nowhere => {}
                    Place::Global(GlobalId(id)) if (*id as usize) < self.globals.len() => {}
                    Place::Function(FunctionId(id)) if (*id as usize) < self.functions.len() => {}
                    Place::Global(_) | Place::Function(_) => return Err(format!("no {of:?}")),
                }
                matches!(ty, Type::Pointer | Type::Integer(64))
            }
            Constant::Undefined(own) | Constant::Poison(own) | Constant::Zero(own) => own == ty,
            Constant::Parts(own, parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let member = match own {
                        Type::Vector(lane, lanes) => {
                            (i < *lanes as usize).then(|| (**lane).clone())
                        }
                        Type::Aggregate(aggregate) => {
                            aggregate.member(i as u64).map(|(_, ty)| ty.clone())
                        }
                        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => None,
                    };
                    let member = member.ok_or("more parts than its type has")?;
                    self.check_constant(&member, part)?;
                }
                own == ty
            }
            Constant::Bytes(bytes) => matches!(ty, Type::Aggregate(aggregate)
                if matches!(&**aggregate, Aggregate::Array { element: Type::Integer(8), length, .. }
                    if *length == bytes.len() as u64)),
        };
        if fits { Ok(()) } else { Err(format!("{constant:?} is no {ty}")) }
    }
}

struct Checker<'a> {
    code: &'a Code,
    function: &'a Function,
}

type Checked = Result<(), String>;

impl Checker<'_> {
    fn function(&self) -> Vec<String> {
        let mut breaches = Vec::new();
        // Who assigns a register: nobody yet, one instruction, or the edges into one block.
        let mut assigned: BTreeMap<Register, String> = BTreeMap::new();
        for number in 0..self.function.parameters.len() as u32 {
            assigned.insert(Register(number), "a parameter".into());
        }
        let mut assign = |register: Register, by: String| {
            let before = assigned.entry(register).or_insert_with(|| by.clone());
            if *before != by {
                return Err(format!("r{} is assigned by {before} and by {by}", register.0));
            }
            Ok(())
        };
        for (number, block) in self.function.blocks.iter().enumerate() {
            for (position, instruction) in block.instructions.iter().enumerate() {
                let place = format!("b{number} instruction {position}");
                if let Some(register) = instruction.result {
                    breaches.extend(assign(register, place.clone()).err());
                }
                if let Err(why) = self.instruction(instruction) {
                    breaches.push(format!("{place}: {why}: {:?}", instruction.act));
                }
            }
            for edge in block.end.edges() {
                for (register, _) in &edge.moves {
                    breaches.extend(assign(*register, format!("edges to b{}", edge.to.0)).err());
                }
                if let Err(why) = self.edge(edge) {
                    breaches.push(format!("b{number}: {why}"));
                }
            }
            if let Err(why) = self.end(&block.end) {
                breaches.push(format!("b{number}: {why}: {:?}", block.end));
            }
        }
        for number in 0..self.function.registers.len() as u32 {
            if !assigned.contains_key(&Register(number)) {
                breaches.push(format!("r{number} is never assigned"));
            }
        }
        breaches
    }

    fn ty(&self, operand: Operand) -> Result<&Type, String> {
        match operand {
            Operand::Register(Register(number)) => {
                self.function.registers.get(number as usize).ok_or(format!("no r{number}"))
            }
            Operand::Constant(ConstantId(number)) => self
                .code
                .constants
                .get(number as usize)
                .map(|(ty, _)| ty)
                .ok_or(format!("no constant {number}")),
        }
    }

    fn is(&self, operand: Operand, wanted: &Type) -> Checked {
        let ty = self.ty(operand)?;
        if ty == wanted { Ok(()) } else { Err(format!("{operand:?} is {ty}, not {wanted}")) }
    }

    fn edge(&self, edge: &Edge) -> Checked {
        if edge.to.0 as usize >= self.function.blocks.len() {
            return Err(format!("no block b{}", edge.to.0));
        }
        for (register, operand) in &edge.moves {
            let ty = self.ty(Operand::Register(*register))?;
            self.is(*operand, ty)?;
        }
        Ok(())
    }

    fn end(&self, end: &End) -> Checked {
        match end {
            End::Return(None) if self.function.result == Type::Void => Ok(()),
            End::Return(None) => Err("returns nothing".into()),
            End::Return(Some(value)) => self.is(*value, &self.function.result),
            End::Branch { condition, .. } => self.is(*condition, &Type::Integer(1)),
            End::Switch { on, cases, .. } => {
                let ty = self.ty(*on)?;
                cases.iter().try_for_each(|(id, _)| self.is(Operand::Constant(*id), ty))
            }
            End::Computed { to, edges } => {
                self.is(*to, &Type::Pointer)?;
                let constants = edges.iter().map(|(id, _)| Operand::Constant(*id));
                constants.into_iter().try_for_each(|id| self.is(id, &Type::Pointer))
            }
            End::Jump(_) | End::Unreachable | End::Unknown(_) => Ok(()),
        }
    }

    fn instruction(&self, instruction: &Instruction) -> Checked {
        let void = Type::Void;
        let result = match instruction.result {
            Some(register) => self.ty(Operand::Register(register))?,
            None => &void,
        };
        let gives = |wanted: &Type| {
            if result == wanted { Ok(()) } else { Err(format!("it gives {wanted}, not {result}")) }
        };
        match &instruction.act {
            Act::Integer { operation, bits, operands, .. } => {
                let ty = self.ty(operands[0])?;
                self.is(operands[1], ty)?;
                lanes_are(ty, &Type::Integer(*bits))?;
                self.integer_result(*operation, ty, result)
            }
            Act::IntegerUnary { bits, operand, .. } => {
                self.is(*operand, result)?;
                lanes_are(result, &Type::Integer(*bits))
            }
            Act::FunnelShift { bits, operands, .. } => {
                operands.iter().try_for_each(|operand| self.is(*operand, result))?;
                lanes_are(result, &Type::Integer(*bits))
            }
            Act::IntegerCompare { bits, operands, .. } => {
                let ty = self.ty(operands[0])?;
                self.is(operands[1], ty)?;
                if ty.lane().bits() != Some(*bits) {
                    return Err(format!("{ty} has not {bits} bits"));
                }
                gives(&with_lanes(ty, Type::Integer(1)))
            }
            Act::Convert { conversion, operand, from, to } => {
                self.is(*operand, from)?;
                gives(to)?;
                conversion_fits(*conversion, from, to)
            }
            Act::Float { operation, parameters, operands, .. } => {
                self.float(*operation, parameters, operands, result)
            }
            Act::FloatCompare { format, operands, .. } => {
                let ty = self.ty(operands[0])?;
                self.is(operands[1], ty)?;
                lanes_are(ty, &Type::Float(*format))?;
                gives(&with_lanes(ty, Type::Integer(1)))
            }
            Act::Classify { format, operand, .. } => {
                let ty = self.ty(*operand)?;
                lanes_are(ty, &Type::Float(*format))?;
                gives(&with_lanes(ty, Type::Integer(1)))
            }
            Act::Select { operands } => {
                self.is(operands[1], result)?;
                self.is(operands[2], result)?;
                let condition = self.ty(operands[0])?;
                let fits = *condition == Type::Integer(1)
                    || *condition == with_lanes(result, Type::Integer(1));
                if fits { Ok(()) } else { Err(format!("{condition} is no condition")) }
            }
            Act::Freeze { operand } => self.is(*operand, result),
            Act::Allocate { count, .. } => {
                gives(&Type::Pointer)?;
                lanes_are(self.ty(*count)?, &Type::Integer(self.ty(*count)?.bits().unwrap_or(0)))
            }
            Act::Offset { base, scaled, .. } => {
                lanes_are(self.ty(*base)?, &Type::Pointer)?;
                lanes_are(result, &Type::Pointer)?;
                scaled.iter().try_for_each(|(index, _)| match self.ty(*index)?.lane() {
                    Type::Integer(_) => Ok(()),
                    other => Err(format!("{other} is no index")),
                })
            }
            Act::Load { ty, address } => {
                self.is(*address, &Type::Pointer)?;
                gives(ty)
            }
            Act::Store { ty, address, value } => {
                self.is(*address, &Type::Pointer)?;
                self.is(*value, ty)?;
                gives(&Type::Void)
            }
            Act::Call { callee, arguments, types } => {
                match callee {
                    Callee::Function(id) if id.0 as usize >= self.code.functions.len() => {
                        return Err(format!("no function {}", id.0));
                    }
                    Callee::Function(_) => {}
                    Callee::Address(address) => self.is(*address, &Type::Pointer)?,
                }
                if arguments.len() != types.len() {
                    return Err("arguments and types differ in number".into());
                }
                arguments.iter().zip(types).try_for_each(|(argument, ty)| self.is(*argument, ty))
            }
            Act::Special { special, operands } => self.special(special, operands, result),
            Act::Lane { operands } => gives(self.ty(operands[0])?.lane()),
            Act::SetLane { operands } => {
                self.is(operands[0], result)?;
                self.is(operands[1], result.lane())
            }
            Act::Shuffle { operands, mask } => {
                let ty = self.ty(operands[0])?;
                self.is(operands[1], ty)?;
                let lanes = ty.lanes().ok_or("shuffles no vectors")?;
                let within = mask.iter().flatten().all(|lane| *lane < 2 * lanes);
                if !within || result.lanes() != Some(mask.len() as u32) {
                    return Err("the mask does not fit".into());
                }
                lanes_are(result, ty.lane())
            }
            Act::Member { operand, path } => gives(member(self.ty(*operand)?, path)?),
            Act::SetMember { operands, path } => {
                self.is(operands[0], result)?;
                self.is(operands[1], member(result, path)?)
            }
            Act::Unknown { operands, .. } => {
                operands.iter().try_for_each(|operand| self.ty(*operand).map(drop))
            }
        }
    }

    fn integer_result(&self, operation: IntegerOperation, ty: &Type, result: &Type) -> Checked {
        use IntegerOperation as I;
        let fits = match operation {
            integer_operations!(Overflow) => {
                member(result, &[0])? == ty
                    && *member(result, &[1])? == with_lanes(ty, Type::Integer(1))
            }
            I::UnsignedCompare | I::SignedCompare => {
                matches!(result.lane(), Type::Integer(_)) && result.lanes() == ty.lanes()
            }
            integer_operations!(Arithmetic, Shift, Logic, Choice, Saturating) => result == ty,
        };
        if fits { Ok(()) } else { Err(format!("of {ty} it gives no {result}")) }
    }

    fn float(
        &self,
        operation: Operation,
        parameters: &nanoscope_ieee::Parameters,
        operands: &[Operand],
        result: &Type,
    ) -> Checked {
        let sorts: Vec<Sort> =
            operation.operands().iter().copied().filter(|sort| *sort != Sort::Rounding).collect();
        if sorts.len() != operands.len() {
            return Err(format!("{} operands, not {}", operands.len(), sorts.len()));
        }
        for (operand, sort) in operands.iter().zip(sorts) {
            let wanted = match sort {
                Sort::Float => Type::Float(parameters.format),
                Sort::Bits => Type::Integer(parameters.width),
                Sort::Rounding | Sort::Bool => return Err(format!("takes a {sort:?}")),
            };
            let ty = self.ty(*operand)?;
            lanes_are(ty, &wanted)?;
            if ty.lanes() != result.lanes() {
                return Err(format!("{ty} and {result} differ in lanes"));
            }
        }
        let given = match operation.result() {
            Sort::Float => Type::Float(parameters.target),
            Sort::Bits => Type::Integer(parameters.width),
            Sort::Rounding | Sort::Bool => return Err("gives no number".into()),
        };
        lanes_are(result, &given)
    }

    fn special(&self, special: &Special, operands: &[Operand], result: &Type) -> Checked {
        let types: Vec<&Type> =
            operands.iter().map(|operand| self.ty(*operand)).collect::<Result<_, _>>()?;
        let float = |format: &Format, ty: &Type| lanes_are(ty, &Type::Float(*format)).is_ok();
        let is_integer = |ty: &Type| matches!(ty.lane(), Type::Integer(_));
        let fits = match (special, types.as_slice()) {
            (Special::Copy { .. }, [Type::Pointer, Type::Pointer, size]) => is_integer(size),
            (Special::Fill, [Type::Pointer, Type::Integer(8), size]) => is_integer(size),
            (Special::ArgumentsCopy, [Type::Pointer, Type::Pointer])
            | (
                Special::ArgumentsBegin
                | Special::ArgumentsEnd
                | Special::ArgumentsNext
                | Special::StackRestore,
                [Type::Pointer],
            )
            | (Special::Assume, [Type::Integer(1)])
            | (Special::Trap | Special::Unknowable, [])
            | (Special::SetRounding, [Type::Integer(32)]) => true,
            (Special::Rounding, []) => *result == Type::Integer(32),
            (Special::StackSave, []) => *result == Type::Pointer,
            (Special::ObjectSize, [Type::Pointer, Type::Integer(1)]) => is_integer(result),
            (Special::Fraction(format), [a]) => {
                float(format, a) && member(result, &[0])? == *a && is_integer(member(result, &[1])?)
            }
            (Special::Scale(format), [a, n]) => float(format, a) && is_integer(n) && result == *a,
            (Special::Libm(function, format), types) => {
                types.len() == function.arity()
                    && types.iter().all(|ty| float(format, ty) && result == *ty)
            }
            (Special::IntegerPower(format), [a, n]) => {
                float(format, a) && is_integer(n) && result == *a
            }
            (Special::ReduceInteger(_), [vector]) => is_integer(vector) && result == vector.lane(),
            (Special::ReduceFloat(_), [vector]) => result == vector.lane(),
            (Special::ReduceFloat(_), [start, vector]) => {
                result == *start && result == vector.lane()
            }
            (
                Special::Fraction(_)
                | Special::Scale(_)
                | Special::IntegerPower(_)
                | specials!(Memory, Variadic, Control, Environment, Reduce),
                _,
            ) => false,
        };
        if fits { Ok(()) } else { Err("operands or result do not fit".into()) }
    }
}

fn lanes_are(ty: &Type, wanted: &Type) -> Checked {
    if ty.lane() == wanted { Ok(()) } else { Err(format!("{ty} is not of {wanted}")) }
}

/// As many of `lane` as `ty` has lanes.
fn with_lanes(ty: &Type, lane: Type) -> Type {
    match ty.lanes() {
        Some(lanes) => Type::Vector(lane.into(), lanes),
        None => lane,
    }
}

fn member<'t>(mut ty: &'t Type, path: &[u32]) -> Result<&'t Type, String> {
    for index in path {
        let Type::Aggregate(aggregate) = ty else { return Err(format!("{ty} has no members")) };
        ty = aggregate.member(u64::from(*index)).ok_or(format!("{ty} has no member {index}"))?.1;
    }
    Ok(ty)
}

fn conversion_fits(conversion: IntegerConversion, from: &Type, to: &Type) -> Checked {
    let fits = match (conversion, from.lane(), to.lane()) {
        (IntegerConversion::Truncate, Type::Integer(a), Type::Integer(b)) => a > b,
        (
            IntegerConversion::ZeroExtend | IntegerConversion::SignExtend,
            Type::Integer(a),
            Type::Integer(b),
        ) => a < b,
        (IntegerConversion::FromPointer, Type::Pointer, Type::Integer(_))
        | (IntegerConversion::ToPointer, Type::Integer(_), Type::Pointer) => true,
        (IntegerConversion::Reinterpret, a, b) => {
            let total = |lane: &Type, ty: &Type| {
                lane.bits().map(|bits| u64::from(bits) * u64::from(ty.lanes().unwrap_or(1)))
            };
            total(a, from) == total(b, to)
        }
        (_, _, _) => false,
    };
    let same_lanes = from.lanes() == to.lanes() || conversion == IntegerConversion::Reinterpret;
    if fits && same_lanes { Ok(()) } else { Err(format!("no such conversion of {from} to {to}")) }
}
