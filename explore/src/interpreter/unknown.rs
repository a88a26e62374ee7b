//! Calls of functions that nobody knows: any result, and any bytes in the memory that they can
//! reach. That is an over-approximation, which proofs survive.
//!
//! A function can reach what it is given, what earlier unknown functions were given, variables of
//! the program, and what pointers there lead to. Where that cannot be told, where it may call
//! back, or where an address that it may have made is followed (`access.rs`), nothing is proved by
//! following the paths after it.

use super::world::Site;
use crate::library::{Call, Detour, World};
use crate::machine::Machine;
use crate::memory::{Kind, Memory, ObjectId};
use crate::state::State;
use crate::{How, Value};
use nanoscope_program::cxx;
use nanoscope_program::ir::{LocationId, Type};
use std::collections::BTreeSet;
use std::rc::Rc;

/// More bytes than these are not made unknown.
const MOST_BYTES: u64 = 1 << 14;

/// Calls it.
pub(super) fn call(
    machine: &mut Machine,
    state: &mut State,
    call: &Call,
    at: LocationId,
) -> Result<Value, Detour> {
    let name = cxx::demangled(call.name);
    machine.note_open(at, format!("calls {name}, which is not modelled"));
    let how = || How::ExternalResult(call.name.to_owned());
    match reach(state, call) {
        Some(reached) => {
            for id in &reached {
                let size = state.memory.object(*id).map_or(0, |object| object.size());
                let start = Value::Small(id.address());
                Site { machine, state }.unknown_bytes(&start, size, how(), call.name)?;
            }
            state.handed = Some(Rc::new(reached));
            state.remark(&format!("{name} is not modelled: any result, any effect"));
        }
        None => state.assume(&format!("{name} is not modelled: any result, no effect")),
    }
    Ok(match call.result {
        Type::Void => Value::Undefined,
        ty => Site { machine, state }.input(how(), call.name, ty),
    })
}

/// The objects that a call can change; `None` where that cannot be told.
fn reach(state: &State, call: &Call) -> Option<BTreeSet<ObjectId>> {
    let memory = &state.memory;
    if state.environment.tracked {
        return None;
    }
    let mut list: Vec<ObjectId> = Vec::new();
    for (value, ty) in call.arguments.iter().zip(call.types) {
        pointers(memory, value, ty, &mut list)?;
    }
    let mut reached: BTreeSet<ObjectId> = list.iter().copied().collect();
    while let Some(id) = list.pop() {
        let object = memory.object(id)?;
        if object.kind() == Kind::Function {
            return None; // it may be called
        }
        for next in memory.leads_to(id)? {
            if reached.insert(next) {
                list.push(next);
            }
        }
    }
    // Variables that exceptions and jumps are made of are nobody else's.
    let is_variable = |object: &crate::memory::Object| {
        object.kind() == Kind::Global
            && !object.name().is_some_and(|name| name.starts_with("nanoscope_"))
    };
    reached.extend(memory.living().filter(|(_, object)| is_variable(object)).map(|(id, _)| id));
    reached.extend(state.handed.iter().flat_map(|handed| handed.iter().copied()));
    let writable = |id: &ObjectId| {
        memory.object(*id).is_some_and(|object| match object.kind() {
            Kind::Stack | Kind::Heap | Kind::Global | Kind::Argument => true,
            Kind::Constant | Kind::Function => false,
        })
    };
    reached.retain(writable);
    let sizes = reached.iter().filter_map(|id| memory.object(*id)).map(|object| object.size());
    (sizes.sum::<u64>() <= MOST_BYTES).then_some(reached)
}

/// The objects that an argument points to.
fn pointers(memory: &Memory, value: &Value, ty: &Type, list: &mut Vec<ObjectId>) -> Option<()> {
    match (value, ty) {
        (Value::Small(address), Type::Pointer | Type::Integer(64)) => {
            list.extend(memory.target(*address).ok());
        }
        (_, Type::Pointer | Type::Aggregate(_)) => return None,
        (_, Type::Vector(lane, _)) if **lane == Type::Pointer => return None,
        (_, Type::Void | Type::Integer(_) | Type::Float(_) | Type::Vector(..)) => {}
    }
    Some(())
}
