//! Variable arguments: lists of them in memory (`ir/variadic.rs`).

use super::Stuck;
use super::domain::{At, Domain, ShadowValue, ValueOf, bits};
use super::interpreter::{Frame, Interpreter};
use nanoscope_program::ir::{Type, variadic};

/// Lays out the arguments of a call, and makes a list of them.
pub(super) fn begin<D: Domain>(
    machine: &mut Interpreter<D>,
    frame: &mut Frame<D>,
    list: &ValueOf<D>,
) -> Result<ValueOf<D>, Stuck> {
    let at = frame.at;
    let list = bits(&mut machine.domain, at, list)? as u64;
    let (places, size) = variadic::places(frame.variable.iter().map(|(_, ty)| ty));
    let area = machine.memory.allocate(size.max(8))?;
    frame.stack.push(area);
    for ((value, ty), place) in frame.variable.iter().zip(places) {
        machine.store(at, ty, area + place, value)?;
    }
    for (offset, size, word) in [
        (0, 4, variadic::GENERAL_USED),
        (4, 4, variadic::VECTOR_USED),
        (variadic::NEXT, 8, area),
        (variadic::SAVED, 8, area),
    ] {
        let Interpreter { memory, domain, .. } = machine;
        memory.store(domain, at, list + offset, size, u128::from(word))?;
    }
    Ok(ShadowValue::Bits(0))
}

/// The next argument of a list.
pub(super) fn next<D: Domain>(
    machine: &mut Interpreter<D>,
    at: At,
    list: &ValueOf<D>,
    ty: &Type,
) -> Result<ValueOf<D>, Stuck> {
    let list = bits(&mut machine.domain, at, list)? as u64;
    let Interpreter { memory, domain, .. } = machine;
    let next = memory.load(domain, at, list + variadic::NEXT, 8)? as u64;
    let next = next.next_multiple_of(variadic::alignment(ty));
    let after = next + variadic::slot(ty);
    memory.store(domain, at, list + variadic::NEXT, 8, u128::from(after))?;
    machine.load(at, ty, next)
}
