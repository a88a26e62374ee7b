//! Memory as instructions and models of library functions use it.
//!
//! An address is an object's number and an offset. One that is unknown is first settled on
//! an object: by what it is made of where that shows (a base and an index), else by the
//! path's witness, and the path splits. Then it must lie inside, or the path ends there.

use crate::compute::{Compute, Trouble};
use crate::library::{Detour, Extent};
use crate::machine::Machine;
use crate::memory::{Kind, Memory, ObjectId};
use crate::state::State;
use crate::{Ending, Value};
use nanoscope_program::ir::Type;
use nanoscope_term::{BitsOp, Op, Term, Terms, Value as Known};
use std::sync::Arc;

/// Bytes of stack that a program has: what Linux gives by default.
pub(super) const STACK_BYTES: u64 = 8 << 20;
/// Places that an unknown address may have for an access to depend on all of them; of an
/// address with more, one path a place.
const SPREAD: u64 = 512;
/// How deep a base is looked for in an address.
const DEPTH: u32 = 16;

/// Reads a value.
pub(crate) fn load(
    machine: &mut Machine,
    state: &mut State,
    address: &Value,
    ty: &Type,
) -> Result<Value, Detour> {
    match settle(machine, state, address, ty.stored_bytes(), false)? {
        Place::Known(address) => {
            let (mut compute, memory) = split(machine, state);
            let value = memory.load(&mut compute, ty, address);
            value.map_err(|trouble| wrong(&state.memory, trouble))
        }
        Place::Inside(id, address) => {
            let bytes = ty.stored_bytes();
            let places = state.memory.places(&machine.terms, id, address, bytes, None);
            if places.count() > SPREAD {
                return Err(Detour::Pin(address));
            }
            machine.effort += places.count();
            let (mut compute, memory) = split(machine, state);
            Ok(memory.load_at(&mut compute, ty, id, address, &places))
        }
    }
}

/// Writes a value.
pub(crate) fn store(
    machine: &mut Machine,
    state: &mut State,
    address: &Value,
    ty: &Type,
    value: Value,
) -> Result<(), Detour> {
    match settle(machine, state, address, ty.stored_bytes(), true)? {
        Place::Known(address) => {
            let (mut compute, memory) = split(machine, state);
            let stored = memory.store(&mut compute, ty, address, &value);
            stored.map_err(|trouble| wrong(&state.memory, trouble))
        }
        Place::Inside(id, address) => {
            let bytes = ty.stored_bytes();
            let places = state.memory.places(&machine.terms, id, address, bytes, None);
            if places.count() > SPREAD {
                return Err(Detour::Pin(address));
            }
            machine.effort += 4 * places.count();
            let (mut compute, memory) = split(machine, state);
            memory.store_at(&mut compute, ty, id, address, &places, &value);
            Ok(())
        }
    }
}

/// Copies bytes; the places may overlap.
pub(super) fn copy(
    machine: &mut Machine,
    state: &mut State,
    to: &Value,
    from: &Value,
    count: &Value,
) -> Result<(), Detour> {
    let count = known_address(machine, state, count)?;
    let to = known_address(machine, state, to)?;
    let from = known_address(machine, state, from)?;
    let (mut compute, memory) = split(machine, state);
    let copied = memory.copy(&mut compute, to, from, count);
    copied.map_err(|trouble| wrong(&state.memory, trouble))
}

/// Fills with a byte.
pub(super) fn fill(
    machine: &mut Machine,
    state: &mut State,
    to: &Value,
    byte: &Value,
    count: &Value,
) -> Result<(), Detour> {
    let count = known_address(machine, state, count)?;
    let to = known_address(machine, state, to)?;
    let (mut compute, memory) = split(machine, state);
    let filled = memory.fill(&mut compute, to, byte, count);
    filled.map_err(|trouble| wrong(&state.memory, trouble))
}

/// A new local variable of the innermost call: so many elements of a size.
pub(super) fn local(
    machine: &mut Machine,
    state: &mut State,
    size: u64,
    count: &Value,
    _alignment: u64,
    name: &str,
) -> Result<Value, Detour> {
    let count = known_address(machine, state, count)?;
    let bytes = size.saturating_mul(count);
    if state.stack.saturating_add(bytes) > STACK_BYTES {
        return Err(Detour::End(Ending::StackOverflow));
    }
    let name = if name.is_empty() { None } else { Some(Arc::from(name)) };
    let address = state.memory.allocate(bytes, Kind::Stack, name);
    let address = address.map_err(|trouble| wrong(&state.memory, trouble))?;
    state.locals.push((address, bytes));
    state.stack += bytes;
    Ok(Value::Small(address))
}

/// Ends local variables, those from a number on.
pub(super) fn end_locals(state: &mut State, first: usize) {
    while state.locals.len() > first {
        let Some((address, bytes)) = state.locals.pop() else { return };
        state.memory.end_local(ObjectId::of(address).0);
        state.stack = state.stack.saturating_sub(bytes);
    }
}

/// A copy of a structure that is passed in memory.
pub(super) fn copy_of(
    machine: &mut Machine,
    state: &mut State,
    from: &Value,
    size: u64,
    alignment: u64,
) -> Result<Value, Detour> {
    let from = Value::Small(known_address(machine, state, from)?);
    let copy_ = local(machine, state, size, &Value::Small(1), alignment, "")?;
    copy(machine, state, &copy_, &from, &Value::Small(size))?;
    Ok(copy_)
}

/// A new object of the heap.
pub(super) fn heap(
    machine: &mut Machine,
    state: &mut State,
    size: u64,
    _alignment: u64,
    zeroed: bool,
) -> Result<Value, Detour> {
    let address = state.memory.allocate(size, Kind::Heap, None);
    let address = address.map_err(|trouble| wrong(&state.memory, trouble))?;
    if zeroed {
        let (mut compute, memory) = split(machine, state);
        let filled = memory.fill(&mut compute, address, &Value::Small(0), size);
        filled.map_err(|trouble| wrong(&state.memory, trouble))?;
    }
    Ok(Value::Small(address))
}

/// Frees an object of the heap.
pub(super) fn release(
    machine: &mut Machine,
    state: &mut State,
    address: &Value,
) -> Result<(), Detour> {
    let address = known_address(machine, state, address)?;
    state.memory.free(address).map_err(|trouble| wrong(&state.memory, trouble))
}

/// The object that an address points into.
pub(super) fn extent(
    machine: &mut Machine,
    state: &mut State,
    address: &Value,
) -> Result<Extent, Detour> {
    let id = match settle(machine, state, address, 0, false)? {
        Place::Known(address) => {
            state.memory.target(address).map_err(|trouble| wrong(&state.memory, trouble))?
        }
        Place::Inside(id, _) => id,
    };
    let size = state.memory.object(id).map_or(0, |object| object.size());
    Ok(Extent { base: id.address(), size })
}

/// Bytes from a known address to the end of its object.
pub(super) fn bytes_from(state: &State, address: &Value) -> Option<u64> {
    let (id, offset) = ObjectId::of(address.as_small()?);
    state.memory.object(id)?.size().checked_sub(offset)
}

/// Whether bytes can be written; else how the path ends.
pub(super) fn writable(
    _machine: &mut Machine,
    state: &mut State,
    address: u64,
    size: u64,
) -> Result<(), Detour> {
    let located = state.memory.locate(address, size, true);
    located.map(|_| ()).map_err(|trouble| wrong(&state.memory, trouble))
}

/// A new object with these bytes, that the program was started with.
pub(crate) fn given(machine: &mut Machine, state: &mut State, bytes: &[u8], name: &str) -> u64 {
    let size = bytes.len() as u64;
    let address = state.memory.allocate(size, Kind::Argument, Some(Arc::from(name)));
    let address = address.expect("the first objects are not too large");
    let (mut compute, memory) = split(machine, state);
    memory.write_bytes(&mut compute, address, bytes).expect("the object was just made");
    address
}

/// An address or a count as a number; one path a value where it is unknown.
pub(super) fn known_address(
    machine: &mut Machine,
    state: &mut State,
    value: &Value,
) -> Result<u64, Detour> {
    match value {
        Value::Small(bits) => Ok(*bits),
        Value::Wide(word) => Ok(word.low_u64()),
        Value::Term(term) => machine.fixed(state, *term).ok_or(Detour::Pin(*term)),
        Value::Undefined => Ok(0),
        Value::Float { .. } | Value::Parts(_) => panic!("{value:?} is no number"),
    }
}

/// Where an access goes.
enum Place {
    /// To this address, right or wrong.
    Known(u64),
    /// To an unknown place inside an object.
    Inside(ObjectId, Term),
}

/// Settles where an access to so many bytes goes.
fn settle(
    machine: &mut Machine,
    state: &mut State,
    address: &Value,
    bytes: u64,
    write: bool,
) -> Result<Place, Detour> {
    let term = match address {
        Value::Small(address) => return Ok(Place::Known(*address)),
        Value::Term(term) => *term,
        Value::Undefined => {
            return Err(Detour::End(Ending::InvalidDeref(
                "an address that was never set".to_owned(),
            )));
        }
        Value::Wide(_) | Value::Float { .. } | Value::Parts(_) => {
            panic!("{address:?} is no address")
        }
    };
    if let Some(known) = machine.fixed(state, term) {
        return Ok(Place::Known(known));
    }
    let (id, sure) = match base(&machine.terms, term, DEPTH) {
        Some(base) => (nearest(base), true),
        None => {
            if state.handed.is_some() {
                state.assume("an address that a function which is not modelled may have made");
            }
            let witness = match state.path.value(&machine.terms, term) {
                Known::Bits(word) => word.low_u64(),
                other @ (Known::Bool(_)
                | Known::Float(..)
                | Known::Rounding(_)
                | Known::Array(_)) => unreachable!("an address, not {other:?}"),
            };
            (ObjectId::of(witness).0, false)
        }
    };
    let terms = &mut machine.terms;
    let inside = state.memory.inside(terms, id, term, bytes);
    let allowed = state.memory.target(id.address()).and_then(|_| state.memory.allowed(id, write));
    if allowed.is_ok() && state.path.knows(terms, inside) == Some(true) {
        return Ok(Place::Inside(id, term));
    }
    if !sure {
        let here = state.memory.points_at(terms, id, term);
        if state.path.knows(terms, here) != Some(true) {
            let elsewhere = terms.not(here);
            return Err(Detour::Split(vec![here, elsewhere]));
        }
    }
    if let Err(trouble) = allowed {
        return Err(wrong(&state.memory, trouble));
    }
    match state.path.knows(terms, inside) {
        Some(false) => Err(wrong(&state.memory, Trouble::OutOfBounds(id))),
        Some(true) | None => {
            let ending = Ending::InvalidDeref(state.memory.explain(Trouble::OutOfBounds(id)));
            Err(Detour::Wrong { condition: terms.not(inside), ending })
        }
    }
}

/// The known part of a sum, if it looks like an address.
fn base(terms: &Terms, term: Term, depth: u32) -> Option<u64> {
    if let Some(Known::Bits(word)) = terms.value(term) {
        return Some(word.low_u64()).filter(|bits| (1 << 31..1 << 63).contains(bits));
    }
    if depth == 0 {
        return None;
    }
    match terms.op(term) {
        Op::Bits(BitsOp::Add) => {
            terms.args(term).iter().find_map(|part| base(terms, *part, depth - 1))
        }
        Op::Bits(BitsOp::Sub) => base(terms, terms.args(term)[0], depth - 1),
        _ => None,
    }
}

/// The object that a base belongs to: what is added may have been less than zero.
fn nearest(base: u64) -> ObjectId {
    ObjectId::of(base + (1 << 31)).0
}

/// How a path ends by a trouble with memory.
fn wrong(memory: &Memory, trouble: Trouble) -> Detour {
    Detour::End(match super::ending(trouble, "") {
        Ending::InvalidDeref(_) => Ending::InvalidDeref(memory.explain(trouble)),
        other => other,
    })
}

/// What computes for a state, and its memory.
fn split<'s>(machine: &'s mut Machine, state: &'s mut State) -> (Compute<'s>, &'s mut Memory) {
    let compute = Compute {
        terms: &mut machine.terms,
        encodings: &mut machine.encodings,
        environment: &mut state.environment,
        obligations: &mut machine.obligations,
    };
    (compute, &mut state.memory)
}
