//! What each instruction does in the shadow run.

use super::integer::{self, Given, masked, signed};
use super::machine::{Frame, Machine, Value};
use super::real::Real;
use super::{Stuck, float, outside};
use nanoscope_ieee::{Format, Operation, Parameters, Rounding};
use nanoscope_program::ir::{
    Act, Aggregate, Callee, IntegerConversion, Mode, Operand, Special, Type,
};
use std::sync::Arc;

impl Machine<'_> {
    /// Does what an instruction does. `ty` is the type of its result.
    pub fn act(&mut self, act: &Act, ty: Option<&Type>, frame: &mut Frame) -> Result<Value, Stuck> {
        let void = Type::Void;
        let ty = ty.unwrap_or(&void);
        match act {
            Act::Integer { operation, bits, operands, .. } => {
                let [a, b] = self.two(operands, frame)?;
                pairwise(&a, &b, &mut |a, b| {
                    Ok(match integer::operate(*operation, *bits, a.bits(), b.bits())? {
                        Given::One(value) => Value::Bits(value),
                        Given::Checked(value, overflowed) => Value::Parts(Arc::new([
                            Value::Bits(value),
                            Value::Bits(u128::from(overflowed)),
                        ])),
                    })
                })
            }
            Act::IntegerUnary { operation, bits, operand } => {
                let a = self.value(*operand, frame)?;
                each(&a, &mut |a| Ok(Value::Bits(integer::unary(*operation, *bits, a.bits()))))
            }
            Act::FunnelShift { left, bits, operands } => {
                let parts = self.all(operands, frame)?;
                lanewise(&parts, &mut |lane| {
                    let [upper, lower, by] = [lane[0].bits(), lane[1].bits(), lane[2].bits()];
                    Ok(Value::Bits(integer::funnel(*left, *bits, upper, lower, by)))
                })
            }
            Act::IntegerCompare { predicate, bits, operands } => {
                let [a, b] = self.two(operands, frame)?;
                pairwise(&a, &b, &mut |a, b| {
                    let holds = integer::compare(*predicate, *bits, a.bits(), b.bits());
                    Ok(Value::Bits(u128::from(holds)))
                })
            }
            Act::Convert { conversion, operand, from, to } => {
                let value = self.value(*operand, frame)?;
                convert(*conversion, &value, from, to)
            }
            Act::Float { operation, parameters, mode, operands, .. } => {
                let rounding = match mode {
                    Mode::Dynamic => Rounding::NearestEven,
                    Mode::Fixed(rounding) => *rounding,
                };
                let parts = self.all(operands, frame)?;
                let run = &mut self.arithmetic;
                lanewise(&parts, &mut |lane| {
                    Ok(float::operate(run, *operation, parameters, rounding, lane))
                })
            }
            Act::FloatCompare { predicate, format, operands, .. } => {
                let [a, b] = self.two(operands, frame)?;
                let run = &self.arithmetic;
                pairwise(&a, &b, &mut |a, b| {
                    let holds = float::compare(run, *predicate, &a.real(*format), &b.real(*format));
                    Ok(Value::Bits(u128::from(holds)))
                })
            }
            Act::Classify { mask, format, operand } => {
                let a = self.value(*operand, frame)?;
                let run = &self.arithmetic;
                each(&a, &mut |a| {
                    let is = float::classified(run, *mask, &a.real(*format), *format);
                    Ok(Value::Bits(u128::from(is)))
                })
            }
            Act::Select { operands } => {
                let condition = self.value(operands[0], frame)?;
                let [a, b] = self.two(&[operands[1], operands[2]], frame)?;
                Ok(match &condition {
                    Value::Parts(lanes) => {
                        let lane = |at: usize| {
                            let from = if lanes[at].bits() & 1 == 1 { &a } else { &b };
                            from.parts()[at].clone()
                        };
                        Value::Parts((0..lanes.len()).map(lane).collect())
                    }
                    Value::Bits(_) | Value::Real(_) | Value::Coded(..) => {
                        if condition.bits() & 1 == 1 { a } else { b }
                    }
                })
            }
            Act::Freeze { operand } => self.value(*operand, frame),
            Act::Allocate { size, count, .. } => {
                let count = self.value(*count, frame)?.bits() as u64;
                let address = self.memory.allocate(size.saturating_mul(count).max(1))?;
                frame.stack.push(address);
                Ok(Value::Bits(u128::from(address)))
            }
            Act::Offset { base, constant, scaled, .. } => {
                self.offset(*base, *constant, scaled, frame)
            }
            Act::Load { ty, address } => {
                let address = self.value(*address, frame)?.bits() as u64;
                self.load(ty, address)
            }
            Act::Store { ty, address, value } => {
                let address = self.value(*address, frame)?.bits() as u64;
                let value = self.value(*value, frame)?;
                self.store(ty, address, &value)?;
                Ok(Value::Bits(0))
            }
            Act::Call { callee, arguments, types } => {
                let arguments = self.all(arguments, frame)?;
                let function = match callee {
                    Callee::Function(function) => *function,
                    Callee::Address(address) => {
                        let address = self.value(*address, frame)?.bits() as u64;
                        self.function_at(address)?
                    }
                };
                let code = self.code;
                if code.function(function).is_defined() {
                    self.call(function, &arguments)
                } else {
                    let function = code.function(function);
                    outside::call(self, &function.name, &arguments, types, ty)
                }
            }
            Act::Special { special, operands } => {
                let operands = self.all(operands, frame)?;
                self.special(special, &operands, ty)
            }
            Act::Lane { operands } => {
                let [vector, index] = self.two(operands, frame)?;
                part(&vector, index.bits() as usize)
            }
            Act::SetLane { operands } => {
                let parts = self.all(operands, frame)?;
                replaced(&parts[0], &[parts[2].bits() as u32], parts[1].clone())
            }
            Act::Shuffle { operands, mask } => {
                let [a, b] = self.two(operands, frame)?;
                let lanes: Vec<Value> = a.parts().iter().chain(b.parts()).cloned().collect();
                let undefined = zero(ty.lane());
                let pick = |at: &Option<u32>| match at {
                    Some(at) => lanes.get(*at as usize).cloned().unwrap_or(undefined.clone()),
                    None => undefined.clone(),
                };
                Ok(Value::Parts(mask.iter().map(pick).collect()))
            }
            Act::Member { operand, path } => {
                let mut value = self.value(*operand, frame)?;
                for at in path {
                    value = part(&value, *at as usize)?;
                }
                Ok(value)
            }
            Act::SetMember { operands, path } => {
                let [aggregate, member] = self.two(operands, frame)?;
                replaced(&aggregate, path, member)
            }
            Act::Unknown { text, .. } => Err(unmodelled(text)),
        }
    }

    fn offset(
        &mut self,
        base: Operand,
        constant: i64,
        scaled: &[(Operand, i64)],
        frame: &Frame,
    ) -> Result<Value, Stuck> {
        let base = self.value(base, frame)?;
        let mut offset = i128::from(constant);
        for (index, scale) in scaled {
            let width = match index {
                Operand::Constant(id) => self.code.constant(*id).0.bits(),
                Operand::Register(register) => frame.ty(*register).bits(),
            };
            let index = self.value(*index, frame)?;
            if matches!(index, Value::Parts(_)) {
                return Err(Stuck::new("vectors of addresses are not modelled"));
            }
            offset += signed(index.bits(), width.unwrap_or(64)) * i128::from(*scale);
        }
        Ok(Value::Bits(u128::from((base.bits() as u64).wrapping_add(offset as u64))))
    }

    fn all(&mut self, operands: &[Operand], frame: &Frame) -> Result<Vec<Value>, Stuck> {
        operands.iter().map(|operand| self.value(*operand, frame)).collect()
    }

    fn two(&mut self, operands: &[Operand; 2], frame: &Frame) -> Result<[Value; 2], Stuck> {
        Ok([self.value(operands[0], frame)?, self.value(operands[1], frame)?])
    }

    fn special(
        &mut self,
        special: &Special,
        operands: &[Value],
        ty: &Type,
    ) -> Result<Value, Stuck> {
        let word = |at: usize| operands[at].bits() as u64;
        let nothing = Ok(Value::Bits(0));
        match special {
            Special::Copy { .. } => {
                self.memory.copy(word(0), word(1), word(2))?;
                nothing
            }
            Special::Fill => {
                self.memory.fill(word(0), word(1) as u8, word(2))?;
                nothing
            }
            Special::ArgumentsBegin
            | Special::ArgumentsCopy
            | Special::ArgumentsEnd
            | Special::ArgumentsNext => Err(Stuck::new("variable arguments are not modelled")),
            Special::Assume => nothing,
            Special::Trap => Err(Stuck::new("in exact arithmetic it traps")),
            Special::Rounding => Ok(Value::Bits(1)),
            Special::SetRounding if word(0) == 1 => nothing,
            Special::SetRounding => Err(Stuck::new("it changes the rounding mode")),
            Special::StackSave | Special::StackRestore => nothing,
            Special::ObjectSize => {
                let offset = word(0) & ((1 << 40) - 1);
                let size = self.memory.size(word(0)).map(|size| size.saturating_sub(offset));
                let unknown =
                    if operands.get(1).is_some_and(|v| v.bits() & 1 == 1) { 0 } else { u64::MAX };
                Ok(Value::Bits(masked(
                    u128::from(size.unwrap_or(unknown)),
                    ty.bits().unwrap_or(64),
                )))
            }
            Special::Fraction(format) => each(&operands[0], &mut |a| {
                let (fraction, exponent) = self.arithmetic.fraction(&a.real(*format));
                let exponent = Value::Bits(u128::from(exponent as i32 as u32));
                Ok(Value::Parts(Arc::new([Value::Real(fraction), exponent])))
            }),
            Special::Scale(format) => {
                let run = &mut self.arithmetic;
                pairwise(&operands[0], &operands[1], &mut |a, by| {
                    let by = signed(by.bits(), 32) as i64;
                    Ok(Value::Real(run.scaled(&a.real(*format), by)))
                })
            }
            Special::Libm(name, format) => lanewise(operands, &mut |lane| {
                outside::mathematical(self, name, name, lane, *format)
            }),
            Special::ReduceInteger(operation) => {
                let bits = ty.bits().unwrap_or(64);
                let mut lanes = operands[0].parts().iter().map(Value::bits);
                let mut total = lanes.next().unwrap_or(0);
                for lane in lanes {
                    total = match integer::operate(*operation, bits, total, lane)? {
                        Given::One(value) | Given::Checked(value, _) => value,
                    };
                }
                Ok(Value::Bits(total))
            }
            Special::ReduceFloat(operation) => {
                let Type::Float(format) = ty else { return Err(unmodelled("a reduction")) };
                let mut lanes =
                    operands.iter().flat_map(Value::parts).map(|lane| lane.real(*format));
                let mut total = Value::Real(lanes.next().unwrap_or(Real::Nan));
                for lane in lanes {
                    total = self.combined(*operation, *format, total, lane);
                }
                Ok(total)
            }
            Special::Unknowable => Err(Stuck::new("it asks for what differs from run to run")),
        }
    }

    fn combined(&mut self, operation: Operation, format: Format, a: Value, b: Real) -> Value {
        let parameters = Parameters::of(format);
        let operands = [a, Value::Real(b)];
        float::operate(
            &mut self.arithmetic,
            operation,
            &parameters,
            Rounding::NearestEven,
            &operands,
        )
    }
}

/// Something without a counterpart, in LLVM's words.
pub(super) fn unmodelled(text: &str) -> Stuck {
    Stuck::new(format!("`{}` is not modelled", text.trim()))
}

/// All bits zero.
pub(super) fn zero(ty: &Type) -> Value {
    match ty {
        Type::Void | Type::Integer(_) | Type::Pointer => Value::Bits(0),
        Type::Float(_) => Value::Real(Real::Zero { negative: false }),
        Type::Vector(lane, lanes) => Value::Parts((0..*lanes).map(|_| zero(lane)).collect()),
        Type::Aggregate(aggregate) => {
            let member = |at: u64| aggregate.member(at).map_or(Value::Bits(0), |(_, ty)| zero(ty));
            Value::Parts((0..aggregate.count()).map(member).collect())
        }
    }
}

/// The type of a lane, member or element.
pub(super) fn part_type(ty: &Type, at: u64) -> Option<Type> {
    match ty {
        Type::Vector(lane, _) => Some((**lane).clone()),
        Type::Aggregate(aggregate) => match &**aggregate {
            Aggregate::Structure { members, .. } => Some(members.get(at as usize)?.1.clone()),
            Aggregate::Array { element, .. } => Some(element.clone()),
        },
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => None,
    }
}

type One<'f> = &'f mut dyn FnMut(&Value) -> Result<Value, Stuck>;
type Two<'f> = &'f mut dyn FnMut(&Value, &Value) -> Result<Value, Stuck>;
type Many<'f> = &'f mut dyn FnMut(&[Value]) -> Result<Value, Stuck>;

/// Lane by lane, or at once.
fn each(a: &Value, one: One) -> Result<Value, Stuck> {
    match a {
        Value::Parts(lanes) => {
            let lanes: Result<Vec<Value>, Stuck> = lanes.iter().map(one).collect();
            Ok(structure_of_lanes(lanes?))
        }
        Value::Bits(_) | Value::Real(_) | Value::Coded(..) => one(a),
    }
}

fn pairwise(a: &Value, b: &Value, two: Two) -> Result<Value, Stuck> {
    match (a, b) {
        (Value::Parts(x), Value::Parts(y)) => {
            let lanes: Result<Vec<Value>, Stuck> =
                x.iter().zip(y.iter()).map(|(x, y)| two(x, y)).collect();
            Ok(structure_of_lanes(lanes?))
        }
        (_, _) => two(a, b),
    }
}

fn lanewise(operands: &[Value], many: Many) -> Result<Value, Stuck> {
    let count = operands.iter().find_map(|operand| match operand {
        Value::Parts(lanes) => Some(lanes.len()),
        Value::Bits(_) | Value::Real(_) | Value::Coded(..) => None,
    });
    let Some(count) = count else { return many(operands) };
    let mut lanes = Vec::with_capacity(count);
    for at in 0..count {
        // A scalar among vectors, as powi's exponent, goes with every lane.
        let lane: Vec<Value> = operands
            .iter()
            .map(|operand| match operand {
                Value::Parts(lanes) => lanes[at.min(lanes.len() - 1)].clone(),
                other => other.clone(),
            })
            .collect();
        lanes.push(many(&lane)?);
    }
    Ok(structure_of_lanes(lanes))
}

/// Operations on vectors that give structures (a sum and its overflow) give a structure of
/// vectors, not a vector of structures.
fn structure_of_lanes(lanes: Vec<Value>) -> Value {
    match lanes.first() {
        Some(Value::Parts(members)) => {
            let member = |at: usize| {
                Value::Parts(lanes.iter().map(|lane| lane.parts()[at].clone()).collect())
            };
            Value::Parts((0..members.len()).map(member).collect())
        }
        Some(Value::Bits(_) | Value::Real(_) | Value::Coded(..)) | None => {
            Value::Parts(lanes.into())
        }
    }
}

fn part(value: &Value, at: usize) -> Result<Value, Stuck> {
    value.parts().get(at).cloned().ok_or_else(|| Stuck::new("an index is out of its vector"))
}

/// A value with the part at the end of a path replaced.
fn replaced(value: &Value, path: &[u32], new: Value) -> Result<Value, Stuck> {
    let Some((&at, rest)) = path.split_first() else { return Ok(new) };
    let mut parts = value.parts().to_vec();
    let Some(place) = parts.get_mut(at as usize) else {
        return Err(Stuck::new("an index is out of its vector"));
    };
    *place = replaced(place, rest, new)?;
    Ok(Value::Parts(parts.into()))
}

fn convert(
    conversion: IntegerConversion,
    value: &Value,
    from: &Type,
    to: &Type,
) -> Result<Value, Stuck> {
    let (before, after) = (from.lane().bits().unwrap_or(64), to.lane().bits().unwrap_or(64));
    let coded = |width: u32, value: &Value| match value {
        // The encoding of a float with zeros above it is still that.
        Value::Coded(format, _) => format.width() <= width,
        Value::Bits(_) | Value::Real(_) | Value::Parts(_) => false,
    };
    match conversion {
        IntegerConversion::Truncate => each(value, &mut |value| {
            if coded(after, value) {
                return Ok(value.clone());
            }
            Ok(Value::Bits(masked(value.bits(), after)))
        }),
        IntegerConversion::ZeroExtend => each(value, &mut |value| {
            if coded(before, value) {
                return Ok(value.clone());
            }
            Ok(Value::Bits(masked(value.bits(), before)))
        }),
        IntegerConversion::SignExtend => each(value, &mut |value| {
            Ok(Value::Bits(masked(signed(value.bits(), before) as u128, after)))
        }),
        IntegerConversion::FromPointer | IntegerConversion::ToPointer => {
            each(value, &mut |value| Ok(Value::Bits(masked(value.bits(), after.min(64)))))
        }
        IntegerConversion::Reinterpret => reinterpreted(value, from, to),
    }
}

fn reinterpreted(value: &Value, from: &Type, to: &Type) -> Result<Value, Stuck> {
    let same_lanes = from.lanes() == to.lanes();
    let lane = |value: &Value| match (from.lane(), to.lane()) {
        (Type::Float(format), Type::Integer(_)) => Value::Coded(*format, value.real(*format)),
        (_, Type::Float(format)) => Value::Real(value.real(*format)),
        (_, _) => value.clone(),
    };
    if same_lanes {
        return each(value, &mut |value| Ok(lane(value)));
    }
    // Other lanes: through one integer, where that is wide enough.
    let width = from.lane().bits().unwrap_or(64);
    let mut whole: Vec<bool> = Vec::new();
    for part in value.parts() {
        let bits = match from.lane() {
            Type::Float(format) => part.real(*format).encoded(*format),
            Type::Void
            | Type::Integer(_)
            | Type::Pointer
            | Type::Vector(..)
            | Type::Aggregate(_) => part.bits(),
        };
        whole.extend((0..width).map(|at| bits >> at & 1 == 1));
    }
    let width = to.lane().bits().unwrap_or(64) as usize;
    let piece = |bits: &[bool]| {
        let bits = bits.iter().rev().fold(0u128, |whole, &bit| whole << 1 | u128::from(bit));
        match to.lane() {
            Type::Float(format) => Value::Real(Real::decoded(*format, bits)),
            Type::Void
            | Type::Integer(_)
            | Type::Pointer
            | Type::Vector(..)
            | Type::Aggregate(_) => Value::Bits(bits),
        }
    };
    if width > 128 {
        return Err(Stuck::new(format!("an integer of {width} bits")));
    }
    Ok(match to.lanes() {
        None => piece(&whole),
        Some(_) => Value::Parts(whole.chunks(width).map(piece).collect()),
    })
}
