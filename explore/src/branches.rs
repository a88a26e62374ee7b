//! Branches and lines that states come by: they are noted, and held against the route that is asked
//! about.

use crate::machine::Machine;
use crate::route::{Stray, Way};
use crate::state::State;
use crate::trail::Track;
use nanoscope_program::Location;
use nanoscope_program::ir::{BlockId, Code, Constant, End, FunctionId, LocationId};
use std::rc::Rc;

/// Where branches stand in the code of a program that people wrote: each with its ways.
pub fn branches(code: &Code) -> Vec<(Location, Vec<Way>)> {
    let mut list = Vec::new();
    for function in code.functions.iter() {
        for block in &function.blocks {
            let location = code.location(block.end_location);
            let ways = ways(code, &block.end);
            if location.line != 0 && ways.len() > 1 {
                list.push((location.clone(), ways));
            }
        }
    }
    list
}

/// The ways of a block's end, in the order of their numbers.
fn ways(code: &Code, end: &End) -> Vec<Way> {
    match end {
        End::Branch { .. } => vec![Way::True, Way::False],
        End::Switch { cases, .. } => {
            let case = |id| match &code.constant(id).1 {
                Constant::Integer(word) => {
                    let shift = 128 - word.width().min(128);
                    ((word.to_u128().unwrap_or(0) << shift) as i128) >> shift
                }
                Constant::Zero(_)
                | Constant::Float(..)
                | Constant::Address { .. }
                | Constant::Undefined(_)
                | Constant::Poison(_)
                | Constant::Parts(..)
                | Constant::Bytes(_) => 0,
            };
            let cases = cases.iter().map(|(constant, _)| Way::Case(case(*constant)));
            cases.chain([Way::Default]).collect()
        }
        End::Computed { edges, .. } => {
            (0..edges.len()).map(|number| Way::Case(number as i128)).collect()
        }
        End::Return(_) | End::Jump(_) | End::Unreachable | End::Unknown(_) => Vec::new(),
    }
}

/// The branch at the end of a block and one of its ways, where it is one of the user's.
pub(crate) fn branch(
    machine: &Machine,
    function: FunctionId,
    block: BlockId,
    way: u32,
) -> Option<(LocationId, Way)> {
    let code = machine.code;
    let block = code.function(function).block(block);
    let location = code.location(block.end_location);
    if location.line == 0 || machine.is_ours(&location.file) {
        return None;
    }
    let way = ways(code, &block.end).into_iter().nth(way as usize)?;
    Some((block.end_location, way))
}

/// How a state leaves its route by going some way at the branch that it has come to, and before
/// which entry; none where it does not.
pub fn leaves(machine: &Machine, state: &State, way: u32) -> Option<(Stray, usize)> {
    let (track, route) = (state.track.as_ref()?, machine.options.route.as_ref()?);
    let frame = state.frame();
    let (location, way) = branch(machine, frame.function, frame.block, way)?;
    let stray = route.at_branch(track.position, machine.code.location(location), &way).err()?;
    Some((stray, track.position))
}

/// Notes the way that a state goes at the end of its block. Where it leaves its route: how, and before
/// which entry.
pub fn decide(machine: &mut Machine, state: &mut State, way: u32) -> Option<(Stray, usize)> {
    let frame = state.frame();
    let (location, way) = branch(machine, frame.function, frame.block, way)?;
    let conditions = state.path.conditions().len();
    let track = Rc::make_mut(state.track.as_mut()?);
    let before = track.decisions.last().map_or(track.given, |(_, _, conditions)| *conditions);
    // The path itself knows the way: others that the program's text has cannot be gone.
    machine.pruned |= conditions == before;
    if let Some(route) = &machine.options.route {
        match route.at_branch(track.position, machine.code.location(location), &way) {
            Ok(position) => track.position = position,
            Err(stray) => return Some((stray, track.position)),
        }
    }
    track.decisions.push((location, way, conditions));
    finish(machine, track, conditions);
    None
}

/// Notes the line that a state has come to. Where it leaves its route: how, and before
/// which entry.
pub fn arrive(machine: &Machine, state: &mut State, at: LocationId) -> Option<(Stray, usize)> {
    let route = machine.options.route.as_ref()?;
    let location = machine.code.location(at);
    let line = location.line;
    if line == 0 || state.frame().line == line || machine.is_ours(&location.file) {
        return None;
    }
    state.frame_mut().line = line;
    let conditions = state.path.conditions().len();
    let track = Rc::make_mut(state.track.as_mut()?);
    match route.at_line(track.position, location) {
        Ok(position) => track.position = position,
        Err(stray) => return Some((stray, track.position)),
    }
    finish(machine, track, conditions);
    None
}

fn finish(machine: &Machine, track: &mut Track, conditions: usize) {
    let whole = machine.options.route.as_ref().is_some_and(|route| track.position == route.len());
    if whole && track.on_route.is_none() {
        track.on_route = Some((track.decisions.len(), conditions));
    }
}
