//! What instructions compute: everything without memory and control.
//!
//! [`Compute::act`] is the way in. Known operands are computed by the machine where it can;
//! unknown ones become terms. What can go wrong is an [`Obligation`]: the engine asks whether
//! it can happen, and goes on where it does not.
//!
//! - `integer.rs`: integers of any width
//! - `float.rs`: floats by the operation table; `machine.rs`: known floats, fast
//! - `raise.rs`: which flags an operation raises, as truth values; `goal.rs`: when it raises
//!   what is looked for
//! - `encoding.rs`: which bits a float is, NaNs included
//! - `convert.rs`: between integers, pointers, floats and encodings
//! - `parts.rs`: lanes and members
//! - `exact.rs`: `frexp`, `ldexp` and their like; `libm.rs`: `sin` and its like
//! - `scalar.rs`: from values to terms and back

mod convert;
mod encoding;
mod exact;
mod float;
mod goal;
mod integer;
mod libm;
mod machine;
mod parts;
mod raise;
mod scalar;
mod trouble;

pub use encoding::{EncodingId, Encodings};
pub use goal::Deed;
pub(crate) use scalar::part_type;
pub use trouble::{Obligation, Trouble};

use crate::{Environment, Value};
use nanoscope_program::ir::{Act, Operand, Special, Type};
use nanoscope_program::specials;
use nanoscope_term::Terms;

/// Everything that computing needs.
pub struct Compute<'a> {
    /// Where terms are made.
    pub terms: &'a mut Terms,
    /// Where the encodings of unknown floats are remembered; one for all states, as `terms`.
    pub encodings: &'a mut Encodings,
    /// The state's floating-point environment.
    pub environment: &'a mut Environment,
    /// What can go wrong in what was computed: to be looked at, and emptied, after each act.
    pub obligations: &'a mut Vec<Obligation>,
}

impl Compute<'_> {
    /// What an act without memory and control gives. `read` says what its operands are,
    /// `result` is the type of the register it assigns.
    ///
    /// An error is what certainly goes wrong; what may go wrong is among the obligations.
    #[inline]
    pub fn act<'v>(
        &mut self,
        act: &Act,
        result: &Type,
        read: impl Fn(Operand) -> &'v Value,
    ) -> Result<Value, Trouble> {
        match act {
            Act::Integer { operation, bits, operands, .. } => {
                if let (Value::Small(a), Value::Small(b)) = (read(operands[0]), read(operands[1]))
                    && let Some(value) = integer::small(*operation, *bits, *a, *b)
                {
                    return Ok(value);
                }
            }
            Act::IntegerCompare { predicate, bits, operands } => {
                if let (Value::Small(a), Value::Small(b)) = (read(operands[0]), read(operands[1])) {
                    return Ok(Value::truth(integer::holds(*predicate, *bits, *a, *b)));
                }
            }
            Act::Convert { conversion, operand, from, to } => {
                if let Value::Small(a) = read(*operand)
                    && let Some(value) = convert::small(*conversion, *a, from, to)
                {
                    return Ok(value);
                }
            }
            Act::Offset { base, constant, scaled, .. } => {
                if let Value::Small(base) = read(*base)
                    && let Some(address) =
                        integer::offset_known(*base, *constant, scaled, |operand| read(operand))
                {
                    return Ok(Value::Small(address));
                }
            }
            Act::Float { operation, parameters, mode, operands, .. } => {
                if !self.environment.tracked
                    && let Some(mode) = machine::known_mode(*mode, self.environment)
                    && let Some(value) =
                        machine::float(*operation, parameters, mode, operands, |operand| {
                            read(operand)
                        })
                {
                    return Ok(value);
                }
            }
            Act::FloatCompare { predicate, format, operands, .. } => {
                if !self.environment.tracked
                    && let (Value::Small(a), Value::Small(b)) =
                        (read(operands[0]), read(operands[1]))
                    && let Some(holds) = machine::compare(*predicate, *format, *a, *b)
                {
                    return Ok(Value::truth(holds));
                }
            }
            Act::Select { operands } => {
                if let Value::Small(condition) = read(operands[0]) {
                    return Ok(read(operands[if *condition != 0 { 1 } else { 2 }]).clone());
                }
            }
            Act::IntegerUnary { .. }
            | Act::FunnelShift { .. }
            | Act::Classify { .. }
            | Act::Freeze { .. }
            | Act::Allocate { .. }
            | Act::Load { .. }
            | Act::Store { .. }
            | Act::Call { .. }
            | Act::Special { .. }
            | Act::Lane { .. }
            | Act::SetLane { .. }
            | Act::Shuffle { .. }
            | Act::Member { .. }
            | Act::SetMember { .. }
            | Act::Unknown { .. } => {}
        }
        let mut values: Vec<&Value> = Vec::with_capacity(4);
        values.extend(act.operands().iter().map(|operand| read(*operand)));
        self.apply(act, &values, result)
    }

    /// What an act gives on these values, which stand for its own operands in order.
    pub fn apply(&mut self, act: &Act, values: &[&Value], result: &Type) -> Result<Value, Trouble> {
        match act {
            Act::Integer { operation, bits, .. } => {
                self.integer(*operation, *bits, [values[0], values[1]], result)
            }
            Act::IntegerUnary { operation, bits, .. } => {
                self.by_lane(result, values, |compute, values| {
                    Ok(compute.integer_unary(*operation, *bits, values[0]))
                })
            }
            Act::FunnelShift { left, bits, .. } => {
                self.by_lane(result, values, |compute, values| {
                    Ok(compute.funnel_shift(*left, *bits, values))
                })
            }
            Act::IntegerCompare { predicate, bits, .. } => {
                self.by_lane(result, values, |compute, values| {
                    Ok(compute.integer_compare(*predicate, *bits, values[0], values[1]))
                })
            }
            Act::Convert { conversion, from, to, .. } => {
                Ok(self.convert(*conversion, values[0], from, to))
            }
            Act::Float { operation, parameters, mode, .. } => {
                self.by_lane(result, values, |compute, values| {
                    Ok(compute.float(*operation, parameters, *mode, values))
                })
            }
            Act::FloatCompare { predicate, signaling, format, .. } => {
                self.by_lane(result, values, |compute, values| {
                    Ok(compute.float_compare(*predicate, *signaling, *format, values[0], values[1]))
                })
            }
            Act::Classify { mask, format, .. } => {
                self.by_lane(result, values, |compute, values| {
                    Ok(compute.classify(*mask, *format, values[0]))
                })
            }
            Act::Select { .. } => Ok(self.select(values[0], values[1], values[2], result)),
            Act::Freeze { .. } => Ok(self.freeze(values[0], result)),
            Act::Offset { constant, scaled, .. } => {
                let scales: Vec<i64> = scaled.iter().map(|(_, scale)| *scale).collect();
                self.offset(*constant, &scales, values, result)
            }
            Act::Lane { .. } => Ok(self.lane(values[0], values[1], result)),
            Act::SetLane { .. } => Ok(self.set_lane(values[0], values[1], values[2], result)),
            Act::Shuffle { mask, .. } => Ok(parts::shuffle(values[0], values[1], mask)),
            Act::Member { path, .. } => Ok(parts::member(values[0], path)),
            Act::SetMember { path, .. } => {
                Ok(parts::set_member(values[0], values[1], path, result))
            }
            Act::Special { special, .. } => self.special(special, values, result),
            Act::Allocate { .. }
            | Act::Load { .. }
            | Act::Store { .. }
            | Act::Call { .. }
            | Act::Unknown { .. } => Err(Trouble::NotComputed),
        }
    }

    fn special(
        &mut self,
        special: &Special,
        values: &[&Value],
        result: &Type,
    ) -> Result<Value, Trouble> {
        match special {
            Special::Fraction(format) => Ok(self.fraction(*format, values[0], result)),
            Special::Scale(format) => self.by_lane(result, values, |compute, values| {
                Ok(compute.scale(*format, values[0], values[1]))
            }),
            Special::Libm(function, format) => self.by_lane(result, values, |compute, values| {
                Ok(compute.libm(*function, *format, values))
            }),
            Special::IntegerPower(format) => self.by_lane(result, values, |compute, values| {
                Ok(compute.power(*format, values[0], values[1]))
            }),
            Special::ReduceInteger(operation) => self.reduce_integer(*operation, values[0], result),
            Special::ReduceFloat(operation) => self.reduce_float(*operation, values, result),
            specials!(Memory, Variadic, Control, Environment) => Err(Trouble::NotComputed),
        }
    }
}
