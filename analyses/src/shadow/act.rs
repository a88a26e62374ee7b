//! What each instruction does in a shadow run.

use super::domain::{At, Domain, ShadowValue, Stored, ValueOf, bits, number};
use super::integer::{self, Given, masked, signed};
use super::interpreter::{Frame, Interpreter};
use super::types::{unmodelled, zero};
use super::{Stuck, arguments, outside};
use nanoscope_ieee::Parameters;
use nanoscope_program::ir::{
    Act, Callee, IntegerConversion, IntegerOperation, IntegerPredicate, Mode, Operand, Special,
    Type, variadic,
};
use std::sync::Arc;

impl<D: Domain> Interpreter<'_, D> {
    /// Does what an instruction does. `ty` is the type of its result.
    pub(super) fn act(
        &mut self,
        act: &Act,
        ty: Option<&Type>,
        frame: &mut Frame<D>,
    ) -> Result<ValueOf<D>, Stuck> {
        let void = Type::Void;
        let ty = ty.unwrap_or(&void);
        let at = frame.at;
        match act {
            Act::Integer { operation, bits: width, operands, .. } => {
                self.integer(*operation, *width, operands, frame)
            }
            Act::IntegerUnary { operation, bits: width, operand } => {
                let a = self.value(*operand, frame)?;
                let domain = &mut self.domain;
                each(&a, &mut |a| {
                    let a = bits(domain, at, a)?;
                    Ok(ShadowValue::Bits(integer::unary(*operation, *width, a)))
                })
            }
            Act::FunnelShift { left, bits: width, operands } => {
                let parts = self.all(operands, frame)?;
                let domain = &mut self.domain;
                lanewise(&parts, &mut |lane| {
                    let mut part = |place: usize| bits(domain, at, &lane[place]);
                    let (upper, lower, by) = (part(0)?, part(1)?, part(2)?);
                    Ok(ShadowValue::Bits(integer::funnel(*left, *width, upper, lower, by)))
                })
            }
            Act::IntegerCompare { predicate, bits: width, operands } => {
                self.integer_compare(*predicate, *width, operands, frame)
            }
            Act::Convert { conversion, operand, from, to } => {
                let value = self.value(*operand, frame)?;
                convert(&mut self.domain, at, *conversion, &value, from, to)
            }
            Act::Float { operation, parameters, mode, operands, .. } => {
                let parts = self.all(operands, frame)?;
                let domain = &mut self.domain;
                lanewise(&parts, &mut |lane| domain.float(at, *operation, parameters, *mode, lane))
            }
            Act::FloatCompare { predicate, format, operands, .. } => {
                let [a, b] = self.two(operands, frame)?;
                let domain = &mut self.domain;
                pairwise(&a, &b, &mut |a, b| {
                    let (a, b) = (number(domain, at, *format, a)?, number(domain, at, *format, b)?);
                    domain.compare(at, *predicate, *format, &a, &b)
                })
            }
            Act::Classify { mask, format, operand } => {
                let a = self.value(*operand, frame)?;
                let domain = &mut self.domain;
                each(&a, &mut |a| {
                    let a = number(domain, at, *format, a)?;
                    domain.classified(at, *mask, *format, &a)
                })
            }
            Act::Select { operands } => self.select(operands, frame),
            Act::Freeze { operand } => self.value(*operand, frame),
            Act::Allocate { size, count, .. } => {
                let count = self.word(*count, frame)?;
                let address = self.memory.allocate(size.saturating_mul(count).max(1))?;
                frame.stack.push(address);
                Ok(ShadowValue::Bits(u128::from(address)))
            }
            Act::Offset { base, constant, scaled, .. } => {
                self.offset(*base, *constant, scaled, frame)
            }
            Act::Load { ty, address } => {
                let address = self.word(*address, frame)?;
                self.load(at, ty, address)
            }
            Act::Store { ty, address, value } => {
                let address = self.word(*address, frame)?;
                let value = self.value(*value, frame)?;
                self.store(at, ty, address, &value)?;
                Ok(ShadowValue::Bits(0))
            }
            Act::Call { callee, arguments, types } => {
                self.called(*callee, arguments, types, ty, frame)
            }
            Act::Special { special, operands } => {
                let operands = self.all(operands, frame)?;
                match special {
                    Special::ArgumentsBegin => arguments::begin(self, frame, &operands[0]),
                    Special::ArgumentsNext => arguments::next(self, at, &operands[0], ty),
                    _ => self.special(at, special, &operands, ty),
                }
            }
            Act::Lane { operands } => {
                let vector = self.value(operands[0], frame)?;
                let index = self.word(operands[1], frame)?;
                part(&vector, index as usize)
            }
            Act::SetLane { operands } => {
                let index = self.word(operands[2], frame)?;
                let [vector, lane] = self.two(&[operands[0], operands[1]], frame)?;
                replaced(&vector, &[index as u32], lane)
            }
            Act::Shuffle { operands, mask } => self.shuffle(operands, mask, ty, frame),
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

    fn integer(
        &mut self,
        operation: IntegerOperation,
        width: u32,
        operands: &[Operand; 2],
        frame: &Frame<D>,
    ) -> Result<ValueOf<D>, Stuck> {
        let [a, b] = self.two(operands, frame)?;
        let domain = &mut self.domain;
        pairwise(&a, &b, &mut |a, b| {
            if matches!(a, ShadowValue::Symbol(_)) || matches!(b, ShadowValue::Symbol(_)) {
                return domain.integer(operation, width, [a, b]);
            }
            let (a, b) = (bits(domain, frame.at, a)?, bits(domain, frame.at, b)?);
            Ok(match integer::operate(operation, width, a, b)? {
                Given::One(value) => ShadowValue::Bits(value),
                Given::Checked(value, overflowed) => ShadowValue::Parts(Arc::new([
                    ShadowValue::Bits(value),
                    ShadowValue::truth(overflowed),
                ])),
            })
        })
    }

    fn integer_compare(
        &mut self,
        predicate: IntegerPredicate,
        width: u32,
        operands: &[Operand; 2],
        frame: &Frame<D>,
    ) -> Result<ValueOf<D>, Stuck> {
        let [a, b] = self.two(operands, frame)?;
        let domain = &mut self.domain;
        pairwise(&a, &b, &mut |a, b| {
            if matches!(a, ShadowValue::Symbol(_)) || matches!(b, ShadowValue::Symbol(_)) {
                return domain.integer_compare(frame.at, predicate, width, [a, b]);
            }
            let (a, b) = (bits(domain, frame.at, a)?, bits(domain, frame.at, b)?);
            Ok(ShadowValue::truth(integer::compare(predicate, width, a, b)))
        })
    }

    fn select(&mut self, operands: &[Operand; 3], frame: &Frame<D>) -> Result<ValueOf<D>, Stuck> {
        let condition = self.value(operands[0], frame)?;
        let [a, b] = self.two(&[operands[1], operands[2]], frame)?;
        let domain = &mut self.domain;
        let mut chosen = |condition: &ValueOf<D>, a: &ValueOf<D>, b: &ValueOf<D>| {
            Ok(match condition {
                ShadowValue::Symbol(symbol) => domain.select(frame.at, symbol, [a, b])?,
                known if bits(domain, frame.at, known)? & 1 == 1 => a.clone(),
                _ => b.clone(),
            })
        };
        match &condition {
            ShadowValue::Parts(lanes) => {
                let (a, b) = (a.parts(), b.parts());
                let lanes: Result<Vec<ValueOf<D>>, Stuck> = lanes
                    .iter()
                    .enumerate()
                    .map(|(lane, condition)| chosen(condition, &a[lane], &b[lane]))
                    .collect();
                Ok(ShadowValue::Parts(lanes?.into()))
            }
            scalar => chosen(scalar, &a, &b),
        }
    }

    fn called(
        &mut self,
        callee: Callee,
        arguments: &[Operand],
        types: &[Type],
        ty: &Type,
        frame: &Frame<D>,
    ) -> Result<ValueOf<D>, Stuck> {
        let arguments = self.all(arguments, frame)?;
        let function = match callee {
            Callee::Function(function) => function,
            Callee::Address(address) => {
                let address = self.word(address, frame)?;
                self.function_at(address)?
            }
        };
        let code = self.code;
        if code.function(function).is_defined() {
            let fixed = code.function(function).parameters.len().min(arguments.len());
            let rest = arguments[fixed..].iter().cloned();
            let variable = rest.zip(types.iter().skip(fixed).cloned()).collect();
            self.call(function, &arguments[..fixed], variable)
        } else {
            let name = &code.function(function).name;
            outside::call(&mut self.caller(), frame.at, name, &arguments, types, ty)
        }
    }

    fn shuffle(
        &mut self,
        operands: &[Operand; 2],
        mask: &[Option<u32>],
        ty: &Type,
        frame: &Frame<D>,
    ) -> Result<ValueOf<D>, Stuck> {
        let [a, b] = self.two(operands, frame)?;
        let lanes: Vec<ValueOf<D>> = a.parts().iter().chain(b.parts()).cloned().collect();
        let undefined = zero(&mut self.domain, ty.lane());
        let pick = |at: &Option<u32>| match at {
            Some(at) => lanes.get(*at as usize).cloned().unwrap_or(undefined.clone()),
            None => undefined.clone(),
        };
        Ok(ShadowValue::Parts(mask.iter().map(pick).collect()))
    }

    fn offset(
        &mut self,
        base: Operand,
        constant: i64,
        scaled: &[(Operand, i64)],
        frame: &Frame<D>,
    ) -> Result<ValueOf<D>, Stuck> {
        let base = self.word(base, frame)?;
        let mut offset = i128::from(constant);
        for (index, scale) in scaled {
            let width = match index {
                Operand::Constant(id) => self.code.constant(*id).0.bits(),
                Operand::Register(register) => frame.ty(*register).bits(),
            };
            let index = self.value(*index, frame)?;
            if matches!(index, ShadowValue::Parts(_)) {
                return Err(Stuck::new("vectors of addresses are not modelled"));
            }
            let index = bits(&mut self.domain, frame.at, &index)?;
            offset += signed(index, width.unwrap_or(64)) * i128::from(*scale);
        }
        Ok(ShadowValue::Bits(u128::from(base.wrapping_add(offset as u64))))
    }

    fn all(&mut self, operands: &[Operand], frame: &Frame<D>) -> Result<Vec<ValueOf<D>>, Stuck> {
        operands.iter().map(|operand| self.value(*operand, frame)).collect()
    }

    fn two(&mut self, operands: &[Operand; 2], frame: &Frame<D>) -> Result<[ValueOf<D>; 2], Stuck> {
        Ok([self.value(operands[0], frame)?, self.value(operands[1], frame)?])
    }

    /// An operand as an address, a size or an index.
    fn word(&mut self, operand: Operand, frame: &Frame<D>) -> Result<u64, Stuck> {
        let value = self.value(operand, frame)?;
        Ok(bits(&mut self.domain, frame.at, &value)? as u64)
    }

    fn special(
        &mut self,
        at: At,
        special: &Special,
        operands: &[ValueOf<D>],
        ty: &Type,
    ) -> Result<ValueOf<D>, Stuck> {
        let Interpreter { domain, memory, .. } = self;
        let mut word =
            |place: usize| -> Result<u64, Stuck> { Ok(bits(domain, at, &operands[place])? as u64) };
        let nothing = Ok(ShadowValue::Bits(0));
        match special {
            Special::Copy { .. } => {
                let (to, from, size) = (word(0)?, word(1)?, word(2)?);
                memory.copy(domain, at, to, from, size)?;
                nothing
            }
            Special::Fill => {
                let (to, byte, size) = (word(0)?, word(1)?, word(2)?);
                memory.fill(domain, at, to, byte as u8, size)?;
                nothing
            }
            Special::ArgumentsCopy => {
                let (to, from) = (word(0)?, word(1)?);
                memory.copy(domain, at, to, from, variadic::SIZE)?;
                nothing
            }
            Special::ArgumentsBegin | Special::ArgumentsEnd | Special::ArgumentsNext => nothing,
            Special::Assume => nothing,
            Special::Trap => Err(Stuck::ended("in exact arithmetic it traps")),
            Special::Rounding => Ok(ShadowValue::Bits(1)),
            Special::SetRounding if word(0)? == 1 => nothing,
            Special::SetRounding => Err(Stuck::new("it changes the rounding mode")),
            Special::StackSave | Special::StackRestore => nothing,
            Special::ObjectSize => {
                let address = word(0)?;
                let least = operands.len() > 1 && word(1)? & 1 == 1;
                let offset = address & ((1 << 40) - 1);
                let size = memory.size(address).map(|size| size.saturating_sub(offset));
                let unknown = if least { 0 } else { u64::MAX };
                let size = u128::from(size.unwrap_or(unknown));
                Ok(ShadowValue::Bits(masked(size, ty.bits().unwrap_or(64))))
            }
            Special::Fraction(format) => each(&operands[0], &mut |a| {
                let arguments = [a.clone(), ShadowValue::Bits(0)];
                let answer = domain.mathematical(at, "frexp", "frexp", *format, &arguments)?;
                let exponent = match answer.stores.first() {
                    Some((_, Stored::Int(exponent))) => *exponent,
                    Some((_, Stored::Number(_))) | None => 0,
                };
                let exponent = ShadowValue::Bits(u128::from(exponent as u32));
                Ok(ShadowValue::Parts(Arc::new([answer.value, exponent])))
            }),
            Special::Scale(format) => pairwise(&operands[0], &operands[1], &mut |a, by| {
                let arguments = [a.clone(), by.clone()];
                Ok(domain.mathematical(at, "ldexp", "ldexp", *format, &arguments)?.value)
            }),
            Special::Libm(function, format) => lanewise(operands, &mut |lane| {
                let name = function.name();
                outside::mathematical(&mut self.caller(), at, name, name, lane, *format)
            }),
            Special::IntegerPower(format) => lanewise(operands, &mut |lane| {
                outside::mathematical(&mut self.caller(), at, "powi", "powi", lane, *format)
            }),
            Special::ReduceInteger(operation) => {
                let width = ty.bits().unwrap_or(64);
                let mut total = None;
                for lane in operands[0].parts() {
                    let lane = bits(domain, at, lane)?;
                    total = Some(match total {
                        None => lane,
                        Some(total) => match integer::operate(*operation, width, total, lane)? {
                            Given::One(value) | Given::Checked(value, _) => value,
                        },
                    });
                }
                Ok(ShadowValue::Bits(total.unwrap_or(0)))
            }
            Special::ReduceFloat(operation) => {
                let Type::Float(format) = ty else { return Err(unmodelled("a reduction")) };
                let parameters = Parameters::of(*format);
                let mut lanes = operands.iter().flat_map(ShadowValue::parts).cloned();
                let mut total = lanes.next().ok_or_else(|| unmodelled("an empty reduction"))?;
                for lane in lanes {
                    let pair = [total, lane];
                    total = domain.float(at, *operation, &parameters, Mode::Dynamic, &pair)?;
                }
                Ok(total)
            }
            Special::Unknowable => Err(Stuck::new("it asks for what differs from run to run")),
        }
    }
}

type One<'f, N, S> = &'f mut dyn FnMut(&ShadowValue<N, S>) -> Result<ShadowValue<N, S>, Stuck>;
type Two<'f, N, S> =
    &'f mut dyn FnMut(&ShadowValue<N, S>, &ShadowValue<N, S>) -> Result<ShadowValue<N, S>, Stuck>;
type Many<'f, N, S> = &'f mut dyn FnMut(&[ShadowValue<N, S>]) -> Result<ShadowValue<N, S>, Stuck>;

/// Lane by lane, or at once.
fn each<N: Clone, S: Clone>(
    a: &ShadowValue<N, S>,
    one: One<N, S>,
) -> Result<ShadowValue<N, S>, Stuck> {
    match a {
        ShadowValue::Parts(lanes) => {
            let lanes: Result<Vec<ShadowValue<N, S>>, Stuck> = lanes.iter().map(one).collect();
            Ok(structure_of_lanes(lanes?))
        }
        ShadowValue::Bits(_)
        | ShadowValue::Number(_)
        | ShadowValue::Coded(..)
        | ShadowValue::Symbol(_) => one(a),
    }
}

fn pairwise<N: Clone, S: Clone>(
    a: &ShadowValue<N, S>,
    b: &ShadowValue<N, S>,
    two: Two<N, S>,
) -> Result<ShadowValue<N, S>, Stuck> {
    match (a, b) {
        (ShadowValue::Parts(x), ShadowValue::Parts(y)) => {
            let lanes: Result<Vec<ShadowValue<N, S>>, Stuck> =
                x.iter().zip(y.iter()).map(|(x, y)| two(x, y)).collect();
            Ok(structure_of_lanes(lanes?))
        }
        (_, _) => two(a, b),
    }
}

fn lanewise<N: Clone, S: Clone>(
    operands: &[ShadowValue<N, S>],
    many: Many<N, S>,
) -> Result<ShadowValue<N, S>, Stuck> {
    let count = operands.iter().find_map(|operand| match operand {
        ShadowValue::Parts(lanes) => Some(lanes.len()),
        ShadowValue::Bits(_)
        | ShadowValue::Number(_)
        | ShadowValue::Coded(..)
        | ShadowValue::Symbol(_) => None,
    });
    let Some(count) = count else { return many(operands) };
    let mut lanes = Vec::with_capacity(count);
    for at in 0..count {
        // A scalar among vectors, as powi's exponent, goes with every lane.
        let lane: Vec<ShadowValue<N, S>> = operands
            .iter()
            .map(|operand| match operand {
                ShadowValue::Parts(lanes) => lanes[at.min(lanes.len() - 1)].clone(),
                other => other.clone(),
            })
            .collect();
        lanes.push(many(&lane)?);
    }
    Ok(structure_of_lanes(lanes))
}

/// Operations on vectors that give structures (a sum and its overflow) give a structure of
/// vectors, not a vector of structures.
fn structure_of_lanes<N: Clone, S: Clone>(lanes: Vec<ShadowValue<N, S>>) -> ShadowValue<N, S> {
    match lanes.first() {
        Some(ShadowValue::Parts(members)) => {
            let member = |at: usize| {
                ShadowValue::Parts(lanes.iter().map(|lane| lane.parts()[at].clone()).collect())
            };
            ShadowValue::Parts((0..members.len()).map(member).collect())
        }
        Some(
            ShadowValue::Bits(_)
            | ShadowValue::Number(_)
            | ShadowValue::Coded(..)
            | ShadowValue::Symbol(_),
        )
        | None => ShadowValue::Parts(lanes.into()),
    }
}

fn part<N: Clone, S: Clone>(
    value: &ShadowValue<N, S>,
    at: usize,
) -> Result<ShadowValue<N, S>, Stuck> {
    value.parts().get(at).cloned().ok_or_else(|| Stuck::new("an index is out of its vector"))
}

/// A value with the part at the end of a path replaced.
fn replaced<N: Clone, S: Clone>(
    value: &ShadowValue<N, S>,
    path: &[u32],
    new: ShadowValue<N, S>,
) -> Result<ShadowValue<N, S>, Stuck> {
    let Some((&at, rest)) = path.split_first() else { return Ok(new) };
    let mut parts = value.parts().to_vec();
    let Some(place) = parts.get_mut(at as usize) else {
        return Err(Stuck::new("an index is out of its vector"));
    };
    *place = replaced(place, rest, new)?;
    Ok(ShadowValue::Parts(parts.into()))
}

fn convert<D: Domain>(
    domain: &mut D,
    at: At,
    conversion: IntegerConversion,
    value: &ValueOf<D>,
    from: &Type,
    to: &Type,
) -> Result<ValueOf<D>, Stuck> {
    let (before, after) = (from.lane().bits().unwrap_or(64), to.lane().bits().unwrap_or(64));
    if conversion == IntegerConversion::Reinterpret {
        return reinterpreted(domain, at, value, from, to);
    }
    each(value, &mut |value| {
        if let ShadowValue::Symbol(symbol) = value {
            return domain.converted(conversion, before, after, symbol);
        }
        // The encoding of a float with zeros above it is still that.
        let coded = |width: u32| match value {
            ShadowValue::Coded(format, _) => format.width() <= width,
            ShadowValue::Bits(_)
            | ShadowValue::Number(_)
            | ShadowValue::Symbol(_)
            | ShadowValue::Parts(_) => false,
        };
        Ok(match conversion {
            IntegerConversion::Truncate if coded(after) => value.clone(),
            IntegerConversion::ZeroExtend if coded(before) => value.clone(),
            IntegerConversion::Truncate => {
                ShadowValue::Bits(masked(bits(domain, at, value)?, after))
            }
            IntegerConversion::ZeroExtend => {
                ShadowValue::Bits(masked(bits(domain, at, value)?, before))
            }
            IntegerConversion::SignExtend => {
                let wide = signed(bits(domain, at, value)?, before) as u128;
                ShadowValue::Bits(masked(wide, after))
            }
            IntegerConversion::FromPointer | IntegerConversion::ToPointer => {
                ShadowValue::Bits(masked(bits(domain, at, value)?, after.min(64)))
            }
            IntegerConversion::Reinterpret => value.clone(),
        })
    })
}

fn reinterpreted<D: Domain>(
    domain: &mut D,
    at: At,
    value: &ValueOf<D>,
    from: &Type,
    to: &Type,
) -> Result<ValueOf<D>, Stuck> {
    let same_lanes = from.lanes() == to.lanes();
    if same_lanes {
        return each(value, &mut |value| {
            Ok(match (from.lane(), to.lane()) {
                (Type::Float(format), Type::Integer(_)) => {
                    ShadowValue::Coded(*format, number(domain, at, *format, value)?)
                }
                (_, Type::Float(format)) => {
                    ShadowValue::Number(number(domain, at, *format, value)?)
                }
                (_, _) => value.clone(),
            })
        });
    }
    // Other lanes: through one integer, where that is wide enough.
    let width = from.lane().bits().unwrap_or(64);
    let mut whole: Vec<bool> = Vec::new();
    for part in value.parts() {
        let bits = match from.lane() {
            Type::Float(format) => {
                let number = number(domain, at, *format, part)?;
                domain.encoded(*format, &number)?
            }
            Type::Void
            | Type::Integer(_)
            | Type::Pointer
            | Type::Vector(..)
            | Type::Aggregate(_) => bits(domain, at, part)?,
        };
        whole.extend((0..width).map(|at| bits >> at & 1 == 1));
    }
    let width = to.lane().bits().unwrap_or(64) as usize;
    let mut piece = |bits: &[bool]| {
        let bits = bits.iter().rev().fold(0u128, |whole, &bit| whole << 1 | u128::from(bit));
        match to.lane() {
            Type::Float(format) => ShadowValue::Number(domain.decoded(*format, bits)),
            Type::Void
            | Type::Integer(_)
            | Type::Pointer
            | Type::Vector(..)
            | Type::Aggregate(_) => ShadowValue::Bits(bits),
        }
    };
    if width > 128 {
        return Err(Stuck::new(format!("an integer of {width} bits")));
    }
    Ok(match to.lanes() {
        None => piece(&whole),
        Some(_) => ShadowValue::Parts(whole.chunks(width).map(piece).collect()),
    })
}
