//! What is written as a call but is none.

use super::world::Site;
use super::{access, arguments};
use crate::environment::RoundingMode;
use crate::library::{Detour, World};
use crate::machine::Machine;
use crate::state::State;
use crate::{Ending, How, Value};
use nanoscope_ieee::Rounding;
use nanoscope_program::ir::{Special, Type};
use nanoscope_program::specials;

/// The modes by C's `FLT_ROUNDS`.
const MODES: [(u64, Rounding); 5] = [
    (0, Rounding::TowardZero),
    (1, Rounding::NearestEven),
    (2, Rounding::Upward),
    (3, Rounding::Downward),
    (4, Rounding::NearestAway),
];

/// Does one of the others.
pub(super) fn special(
    machine: &mut Machine,
    state: &mut State,
    special: &Special,
    values: &[Value],
    result: &Type,
) -> Result<Value, Detour> {
    match special {
        Special::Copy { .. } => {
            access::copy(machine, state, &values[0], &values[1], &values[2])?;
        }
        Special::Fill => access::fill(machine, state, &values[0], &values[1], &values[2])?,
        Special::ArgumentsBegin => arguments::begin(machine, state, &values[0])?,
        Special::ArgumentsCopy => arguments::copy(machine, state, &values[0], &values[1])?,
        Special::ArgumentsEnd => {}
        Special::ArgumentsNext => return arguments::next(machine, state, &values[0], result),
        Special::Assume => {
            if let Value::Term(condition) = values[0] {
                return Err(Detour::Assume(condition));
            }
        }
        Special::Trap => return Err(Detour::End(Ending::Trap)),
        Special::Rounding => return rounding(machine, state),
        Special::SetRounding => {
            let number = Site { machine, state }.number(&values[0])?;
            if let Some((_, mode)) = MODES.iter().find(|(known, _)| *known == number & 7) {
                state.environment.rounding = RoundingMode::Known(*mode);
            }
        }
        Special::StackSave => return Ok(Value::Small(state.locals.len() as u64)),
        Special::StackRestore => {
            let height = Site { machine, state }.number(&values[0])?;
            let lowest = state.frame().locals as usize;
            access::end_locals(state, lowest.max(height as usize));
        }
        Special::ObjectSize => {
            let width = result.bits().unwrap_or(64);
            let least = values.get(1).is_some_and(|least| *least != Value::Small(0));
            let unknown = if least { 0 } else { u128::MAX };
            let size = access::bytes_from(state, &values[0]);
            return Ok(Value::bits(width, size.map_or(unknown, u128::from)));
        }
        Special::Unknowable => {
            if *result == Type::Void {
                return Ok(Value::Undefined);
            }
            let how = How::Unspecified("what nobody can know".to_owned());
            return Ok(Site { machine, state }.input(how, "unknowable", result));
        }
        specials!(Float, Reduce) => unreachable!("computed before"),
    }
    Ok(Value::Undefined)
}

/// The rounding mode's number; one path a mode where it is unknown.
fn rounding(machine: &mut Machine, state: &mut State) -> Result<Value, Detour> {
    let term = match state.environment.rounding {
        RoundingMode::Known(mode) => {
            let number = MODES.iter().find(|(_, known)| *known == mode);
            return Ok(Value::Small(number.map_or(1, |(number, _)| *number)));
        }
        RoundingMode::Unknown(term) => term,
    };
    let mut sides = Vec::new();
    for (number, mode) in MODES {
        let known = machine.terms.rounding(mode);
        let condition = machine.terms.equal(term, known);
        match state.path.knows(&mut machine.terms, condition) {
            Some(true) => return Ok(Value::Small(number)),
            Some(false) => {}
            None => sides.push(condition),
        }
    }
    Err(Detour::Split(sides))
}
