//! Both sides of a branch at once: small diamonds of the control flow become terms.
//!
//! `a < b ? a : b`, `x && y`, `if (x < 0) x = -x;` would double the paths each. Where the two
//! ways meet again soon, and nothing on them writes, calls or can go wrong, both are computed
//! and what the join receives depends on the condition. Branches of which one way was not yet
//! taken by any path still fork, so that a test comes out of each.

use super::{access, compute, is_computed, shift, truth};
use crate::environment::Raising;
use crate::machine::{Diamond, Machine};
use crate::state::State;
use crate::{Environment, Value};
use nanoscope_program::ir::{Act, BlockId, Edge, End, Function, Register, Type};
use nanoscope_term::Term;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Instructions on one side, at most.
const SIDE: usize = 16;
/// Diamonds within each other, at most.
const NESTED: u32 = 4;
/// Values that a join receives, at most.
const RECEIVED: usize = 4;

/// Takes both ways of the branch that a state is at, and is where they meet; `false` and
/// nothing done where that is not possible or does not pay.
pub(super) fn merge(
    machine: &mut Machine,
    state: &mut State,
    function: &Function,
    condition: Term,
) -> bool {
    let merged = both(machine, state, function, condition, NESTED);
    // What could have gone wrong was computed in vain.
    machine.obligations.clear();
    machine.merged += u64::from(merged);
    merged
}

fn both(
    machine: &mut Machine,
    state: &mut State,
    function: &Function,
    condition: Term,
    nested: u32,
) -> bool {
    let frame = state.frame();
    let (id, at) = (frame.function, frame.block);
    let End::Branch { then, otherwise, .. } = &function.block(at).end else { return false };
    if nested == 0 || !(0..2).all(|way| machine.coverage.taken(id, at, way)) {
        return false;
    }
    let known = &mut machine.diamonds[id.0 as usize];
    let diamonds = known.get_or_insert_with(|| Rc::new(diamonds(function))).clone();
    let Some(Diamond { join, received }) = &diamonds[at.0 as usize] else { return false };
    let join = *join;
    let mut sides = Vec::new();
    for edge in [then, otherwise] {
        let mut side = state.clone();
        shift(machine, &mut side, edge);
        if !advance(machine, &mut side, function, join, nested) {
            return false;
        }
        sides.push(side);
    }
    let [mut a, mut b] = <[State; 2]>::try_from(sides).unwrap_or_else(|_| unreachable!("two"));
    let base = state.frame().registers;
    let mut values = Vec::new();
    for register in received {
        let at = (base + register.0) as usize;
        let (x, y) = (&a.registers[at], &b.registers[at]);
        let ty = &function.registers[register.0 as usize];
        let value = if x == y {
            x.clone()
        } else if matches!((x, y), (Value::Undefined, _) | (_, Value::Undefined)) {
            return false;
        } else {
            let (x, y) = (x.clone(), y.clone());
            machine.compute(state).choose(condition, &x, &y, ty)
        };
        values.push((*register, value));
    }
    let environment = blend(machine, condition, &mut a.environment, &mut b.environment);
    state.environment = environment;
    for (register, value) in values {
        state.set(register, value);
    }
    let frame = state.frame_mut();
    frame.block = join;
    frame.at = 0;
    true
}

/// Computes on until a block; `false` where something else comes.
fn advance(
    machine: &mut Machine,
    state: &mut State,
    function: &Function,
    join: BlockId,
    nested: u32,
) -> bool {
    let base = state.frame().registers as usize;
    while state.frame().block != join {
        let block = function.block(state.frame().block);
        for instruction in &block.instructions {
            let done = if is_computed(&instruction.act) {
                instruction.site.is_none_or(|site| !machine.is_pursued(site))
                    && compute(machine, state, function, base, instruction).is_ok()
            } else if let Act::Load { ty, address } = &instruction.act {
                let address = machine.read(state, *address);
                match access::load(machine, state, &address, ty) {
                    Ok(value) => {
                        if let Some(register) = instruction.result {
                            state.set(register, value);
                        }
                        machine.obligations.is_empty()
                    }
                    Err(_) => false,
                }
            } else {
                false
            };
            if !done {
                return false;
            }
        }
        match &block.end {
            End::Jump(edge) => shift(machine, state, edge),
            End::Branch { condition, then, otherwise } => match truth(machine, state, *condition) {
                Ok(true) => shift(machine, state, then),
                Ok(false) => shift(machine, state, otherwise),
                Err(term) => {
                    if !both(machine, state, function, term, nested - 1) {
                        return false;
                    }
                }
            },
            End::Return(_)
            | End::Switch { .. }
            | End::Computed { .. }
            | End::Unreachable
            | End::Unknown(_) => return false,
        }
    }
    true
}

/// The branches of a function that may become terms, by block.
fn diamonds(function: &Function) -> Vec<Option<Diamond>> {
    let count = function.blocks.len();
    let graph = Graph::of(function);
    let joins = dominators(graph.exit, &graph.before, &graph.after);
    let dominators = dominators(0, &graph.after, &graph.before);
    let diamond = |at: usize| {
        let End::Branch { then, otherwise, .. } = &function.blocks[at].end else { return None };
        let join = joins[at].filter(|join| *join != graph.exit)?;
        let mut region = side(function, then, at, join)?;
        region.extend(side(function, otherwise, at, join)?);
        // A block that every way to the branch comes by is the start of a loop around it:
        // what it assigns is still looked at behind the join.
        let mut above = Some(at);
        while let Some(block) = above {
            if region.contains(&block) {
                return None;
            }
            above = dominators[block].filter(|dominator| *dominator != block);
        }
        let join = BlockId(join as u32);
        Some(Diamond { join, received: received(function, join)? })
    };
    (0..count).map(diamond).collect()
}

/// The blocks on the ways from an edge to a join, if they are few, have nothing on them that
/// is no computation, and do not go in circles.
fn side(function: &Function, edge: &Edge, branch: usize, join: usize) -> Option<Vec<usize>> {
    let mut done: Vec<usize> = Vec::new();
    let mut length = 0;
    // Blocks that the walk is within, each with the next of its ways to look at.
    let mut within: Vec<(usize, usize)> = Vec::new();
    let mut next = Some(edge.to.0 as usize);
    loop {
        if let Some(at) = next.take()
            && at != join
            && !done.contains(&at)
        {
            if at == branch || within.iter().any(|(block, _)| *block == at) {
                return None;
            }
            let block = &function.blocks[at];
            length += block.instructions.len() + 1;
            let plain = block.instructions.iter().all(|instruction| {
                is_computed(&instruction.act) || matches!(instruction.act, Act::Load { .. })
            });
            if !plain || length > SIDE {
                return None;
            }
            within.push((at, 0));
        }
        let Some((at, way)) = within.last_mut() else { return Some(done) };
        let ways = match &function.blocks[*at].end {
            End::Jump(edge) => vec![edge],
            End::Branch { then, otherwise, .. } => vec![then, otherwise],
            End::Return(_)
            | End::Switch { .. }
            | End::Computed { .. }
            | End::Unreachable
            | End::Unknown(_) => return None,
        };
        match ways.get(*way) {
            Some(edge) => next = Some(edge.to.0 as usize),
            None => {
                done.push(*at);
                within.pop();
                continue;
            }
        }
        *way += 1;
    }
}

/// The registers that a block receives, if they are few and no addresses: an address that
/// depends on a condition costs more than a path.
fn received(function: &Function, join: BlockId) -> Option<Vec<Register>> {
    let edges = function.blocks.iter().flat_map(|block| block.end.edges());
    let moves = edges.filter(|edge| edge.to == join).flat_map(|edge| &edge.moves);
    let registers: BTreeSet<Register> = moves.map(|(register, _)| *register).collect();
    let plain = |register: &Register| {
        matches!(function.registers[register.0 as usize], Type::Integer(_) | Type::Float(_))
    };
    (registers.len() <= RECEIVED && registers.iter().all(plain))
        .then(|| registers.into_iter().collect())
}

/// The environment after either side.
fn blend(
    machine: &mut Machine,
    condition: Term,
    a: &mut Environment,
    b: &mut Environment,
) -> Environment {
    let mut environment = a.clone();
    for (flag, (x, y)) in environment.flags.iter_mut().zip(a.flags.iter().zip(&b.flags)) {
        if x != y {
            let (x, y) = (x.term(&mut machine.terms), y.term(&mut machine.terms));
            let either = machine.terms.ite(condition, x, y);
            *flag = Raising::of(&machine.terms, either);
        }
    }
    environment
}

/// The ways between the blocks of a function, and one block more that all ends lead to.
struct Graph {
    exit: usize,
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl Graph {
    fn of(function: &Function) -> Graph {
        let exit = function.blocks.len();
        let mut after: Vec<Vec<usize>> = function
            .blocks
            .iter()
            .map(|block| {
                let ways = block.end.edges();
                ways.into_iter().map(|edge| edge.to.0 as usize).collect()
            })
            .collect();
        after.iter_mut().filter(|list| list.is_empty()).for_each(|list| list.push(exit));
        after.push(Vec::new());
        let mut before = vec![Vec::new(); exit + 1];
        for (at, list) in after.iter().enumerate() {
            list.iter().for_each(|to| before[*to].push(at));
        }
        Graph { exit, after, before }
    }
}

/// For each node, the last one that all ways from the root come by before it: its immediate
/// dominator (Cooper, Harvey and Kennedy's iteration). On the reversed graph, from the exit,
/// that is where the ways from a block meet again. None of nodes that no way leads to.
fn dominators(root: usize, after: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut number = vec![usize::MAX; after.len()];
    let mut order = Vec::new();
    let mut seen = vec![false; after.len()];
    let mut todo = vec![(root, 0)];
    seen[root] = true;
    while let Some((at, next)) = todo.pop() {
        match after[at].get(next) {
            Some(to) => {
                todo.push((at, next + 1));
                if !std::mem::replace(&mut seen[*to], true) {
                    todo.push((*to, 0));
                }
            }
            None => {
                number[at] = order.len();
                order.push(at);
            }
        }
    }
    let mut dominator: Vec<Option<usize>> = vec![None; after.len()];
    dominator[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for at in order.iter().rev().filter(|at| **at != root) {
            let mut common: Option<usize> = None;
            for from in before[*at].iter().filter(|from| dominator[**from].is_some()) {
                common = Some(match common {
                    None => *from,
                    Some(other) => {
                        let (mut x, mut y) = (other, *from);
                        while x != y {
                            while number[x] < number[y] {
                                x = dominator[x].expect("seen before");
                            }
                            while number[y] < number[x] {
                                y = dominator[y].expect("seen before");
                            }
                        }
                        x
                    }
                });
            }
            if common != dominator[*at] {
                dominator[*at] = common;
                changed = true;
            }
        }
    }
    dominator
}
