//! Small conversions that several models need.

use super::{Detour, World};
use crate::Value;
use nanoscope_ieee::Format;
use nanoscope_program::ir::{Act, IntegerConversion, Operand, Register, Type};
use nanoscope_term::{BitsOp, Sort, Term};

/// What stands where an act names operands that [`World::compute`] does not look at.
pub(super) const IGNORED: Operand = Operand::Register(Register(0));

/// An integer of another width.
pub(super) fn resize(
    world: &mut dyn World,
    value: &Value,
    from: u32,
    to: u32,
    signed: bool,
) -> Result<Value, Detour> {
    let conversion = match (from >= to, signed) {
        (true, _) if from == to => return Ok(value.clone()),
        (true, _) => IntegerConversion::Truncate,
        (false, true) => IntegerConversion::SignExtend,
        (false, false) => IntegerConversion::ZeroExtend,
    };
    let (from, to) = (Type::Integer(from), Type::Integer(to));
    let act = Act::Convert { conversion, operand: IGNORED, from, to: to.clone() };
    world.compute(&act, &[value], &to)
}

/// The encoding of a float as an integer.
pub(super) fn encoding(
    world: &mut dyn World,
    value: &Value,
    format: Format,
) -> Result<Value, Detour> {
    reinterpret(world, value, Type::Float(format), Type::Integer(format.width()))
}

/// The same bits as another type.
pub(super) fn reinterpret(
    world: &mut dyn World,
    value: &Value,
    from: Type,
    to: Type,
) -> Result<Value, Detour> {
    let conversion = IntegerConversion::Reinterpret;
    let act = Act::Convert { conversion, operand: IGNORED, from, to: to.clone() };
    world.compute(&act, &[value], &to)
}

/// A truth value as a term.
pub(super) fn truth(world: &mut dyn World, value: &Value) -> Term {
    match value {
        Value::Small(bits) => {
            let known = *bits & 1 != 0;
            world.terms().bool(known)
        }
        Value::Term(term) => *term,
        Value::Undefined => world.terms().bool(false),
        Value::Wide(_) | Value::Float { .. } | Value::Parts(_) => panic!("{value:?} is no truth"),
    }
}

/// An integer of a width as a term; `Undefined` counts as zero.
pub(super) fn bits(world: &mut dyn World, value: &Value, width: u32) -> Term {
    match value {
        Value::Small(bits) => world.terms().bits(width, u128::from(*bits)),
        Value::Wide(word) => {
            let word = nanoscope_ieee::Word::clone(word);
            world.terms().constant(nanoscope_term::Value::Bits(word))
        }
        Value::Term(term) => match world.terms().sort(*term) {
            Sort::Bool => {
                let bit = world.terms().bit(*term);
                if width > 1 {
                    world.terms().bits_op(BitsOp::ZeroExtend(width - 1), &[bit])
                } else {
                    bit
                }
            }
            Sort::Bits(_) | Sort::Float(_) | Sort::Rounding | Sort::Array(_) => *term,
        },
        Value::Undefined => world.terms().bits(width, 0),
        Value::Float { .. } | Value::Parts(_) => panic!("{value:?} is no integer"),
    }
}

/// A term as a value, known where the term is. Not for floats.
pub(super) fn value(world: &mut dyn World, term: Term) -> Value {
    match world.terms().value(term) {
        Some(nanoscope_term::Value::Bool(known)) => Value::truth(*known),
        Some(nanoscope_term::Value::Bits(word)) => Value::word(word.clone()),
        Some(_) | None => Value::Term(term),
    }
}

/// One known `int` where a condition holds, another elsewhere.
pub(super) fn choose(world: &mut dyn World, condition: &Value, then: i32, otherwise: i32) -> Value {
    match condition {
        Value::Small(bits) => {
            Value::Small(u64::from((if *bits & 1 != 0 { then } else { otherwise }) as u32))
        }
        unknown => {
            let condition = truth(world, unknown);
            let terms = world.terms();
            let then = terms.bits(32, u128::from(then as u32));
            let otherwise = terms.bits(32, u128::from(otherwise as u32));
            let term = terms.ite(condition, then, otherwise);
            value(world, term)
        }
    }
}

/// Whether an integer is not zero, as a truth value.
pub(super) fn nonzero(world: &mut dyn World, integer: &Value, width: u32) -> Term {
    let integer = bits(world, integer, width);
    let terms = world.terms();
    let zero = terms.bits(width, 0);
    let same = terms.equal(integer, zero);
    terms.not(same)
}
