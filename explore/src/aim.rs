//! How far it is to the operations that goals are about, in the graph of calls and blocks.

use crate::coverage::FAR;
use crate::state::{Stage, State};
use nanoscope_program::SiteId;
use nanoscope_program::ir::{Act, Block, BlockId, Callee, Code, End, Function, FunctionId};

/// Distances to goals.
pub struct Aim {
    /// Instructions from the start of each block to a goal, at least.
    blocks: Vec<Vec<u32>>,
    /// The least of all functions' entries: where a call through an address may lead.
    nearest_entry: u32,
    /// Whether an instruction's site has a goal, by function and block, in order.
    aimed: Vec<Vec<Vec<u32>>>,
    /// Whether a way leads from a block to a return of its function: all others lead to an exception.
    returns: Vec<Vec<bool>>,
}

/// What it costs to have to return from a call first, in instructions.
const RETURN_COST: u32 = 64;

impl Aim {
    /// Distances to the sites that are wanted.
    pub fn new(code: &Code, wanted: &dyn Fn(SiteId) -> bool) -> Aim {
        let aimed = |block: &Block| {
            let places = block.instructions.iter().enumerate();
            places
                .filter(|(_, instruction)| instruction.site.is_some_and(wanted))
                .map(|(at, _)| at as u32)
                .collect()
        };
        let aimed = |function: &Function| function.blocks.iter().map(aimed).collect();
        let mut aim = Aim {
            blocks: code.functions.iter().map(|f| vec![FAR; f.blocks.len()]).collect(),
            nearest_entry: FAR,
            aimed: code.functions.iter().map(aimed).collect(),
            returns: code.functions.iter().map(|function| returns(code, function)).collect(),
        };
        aim.spread(code);
        aim
    }

    /// From the functions that have goals to those that call them, until nothing comes nearer:
    /// distances only fall.
    fn spread(&mut self, code: &Code) {
        let callers = Callers::of(code);
        let is_aimed = |blocks: &Vec<Vec<u32>>| blocks.iter().any(|places| !places.is_empty());
        let mut queue: Vec<usize> =
            (0..code.functions.len()).filter(|&at| is_aimed(&self.aimed[at])).collect();
        while let Some(at) = queue.pop() {
            if !self.approach(code, at) {
                continue;
            }
            queue.extend(&callers.by_name[at]);
            let entry = self.blocks[at][0];
            if entry < self.nearest_entry {
                self.nearest_entry = entry;
                queue.extend(&callers.by_address);
            }
        }
    }

    /// Instructions that a state has before it until a goal, at least; [`FAR`] where no way
    /// leads to one.
    pub fn ahead(&self, code: &Code, state: &State) -> u32 {
        let at_exit = state.at_exit.iter().map(|(function, _)| *function);
        let mut at_end = at_exit.chain(code.destructors.iter().map(|id| Some(*id)));
        let more = at_end.any(|function| function.is_none_or(|id| self.entry(id) < FAR));
        if more || state.stage != Stage::Main || state.frames.is_empty() {
            return RETURN_COST;
        }
        let heading = state.waiting.as_ref().and_then(|waiting| waiting.heading);
        let mut least = FAR;
        let mut returned = true;
        for (level, frame) in state.frames.iter().rev().enumerate() {
            let cost = RETURN_COST.saturating_mul(level as u32);
            if cost >= least {
                break;
            }
            let thrown = || code.way_of_exception(frame.function, frame.block, frame.at);
            let way = match heading {
                Some((block, _)) if level == 0 => Some(block),
                Some(_) | None if !returned => thrown(),
                Some(_) | None => None,
            };
            let block = way.unwrap_or(frame.block).0 as usize;
            let within = match way {
                Some(_) => self.blocks[frame.function.0 as usize][block],
                None => self.from(code, (frame.function, block), frame.at),
            };
            returned = self.returns[frame.function.0 as usize][block];
            least = least.min(within.saturating_add(cost));
        }
        least.min(FAR)
    }

    /// From the start of a function; [`FAR`] where it has no body.
    fn entry(&self, id: FunctionId) -> u32 {
        self.blocks[id.0 as usize].first().copied().unwrap_or(FAR)
    }

    /// Repeats the blocks of a function until none comes nearer. Whether its entry did.
    fn approach(&mut self, code: &Code, number: usize) -> bool {
        let function = &code.functions[number];
        let before = self.blocks[number].first().copied();
        let mut nearer = true;
        while nearer {
            nearer = false;
            for at in (0..function.blocks.len()).rev() {
                let least = self.from(code, (FunctionId(number as u32), at), 0);
                if least < self.blocks[number][at] {
                    self.blocks[number][at] = least;
                    nearer = true;
                }
            }
        }
        self.blocks[number].first().copied() != before
    }

    /// From an instruction of a block.
    fn from(&self, code: &Code, (id, at): (FunctionId, usize), first: u32) -> u32 {
        let block = &code.function(id).blocks[at];
        let aimed = &self.aimed[id.0 as usize][at];
        let mut least = aimed.iter().find(|place| **place >= first).map_or(FAR, |at| at - first);
        let rest = block.instructions.iter().skip(first as usize);
        for (before, instruction) in rest.enumerate() {
            if before as u32 >= least {
                return least;
            }
            if let Act::Call { callee, .. } = &instruction.act {
                let within = match callee {
                    Callee::Function(id) => self.entry(*id),
                    Callee::Address(_) => self.nearest_entry,
                };
                least = least.min(within.saturating_add(before as u32 + 1));
            }
        }
        let length = (block.instructions.len() as u32).saturating_sub(first) + 1;
        for edge in code.ways(&block.end) {
            let beyond = self.blocks[id.0 as usize][edge.to.0 as usize];
            least = least.min(beyond.saturating_add(length));
        }
        least.min(FAR)
    }
}

/// Whether ways lead from the blocks of a function to a return without an exception.
fn returns(code: &Code, function: &Function) -> Vec<bool> {
    let mut known: Vec<bool> = (0..)
        .zip(&function.blocks)
        .map(|(at, block)| match block.end {
            End::Return(_) => function.leave != Some(BlockId(at)),
            End::Unknown(_) => true,
            End::Jump(_)
            | End::Branch { .. }
            | End::Switch { .. }
            | End::Computed { .. }
            | End::Unreachable => false,
        })
        .collect();
    loop {
        let before = known.clone();
        for (at, block) in function.blocks.iter().enumerate().rev() {
            known[at] |= code.ways(&block.end).iter().any(|edge| known[edge.to.0 as usize]);
        }
        if known == before {
            return known;
        }
    }
}

/// Who calls.
struct Callers {
    /// For every function, those that call it by its name.
    by_name: Vec<Vec<usize>>,
    /// Those that call through an address.
    by_address: Vec<usize>,
}

impl Callers {
    fn of(code: &Code) -> Callers {
        let mut callers =
            Callers { by_name: vec![Vec::new(); code.functions.len()], by_address: Vec::new() };
        for (number, function) in code.functions.iter().enumerate() {
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                let Act::Call { callee, .. } = &instruction.act else { continue };
                let list = match callee {
                    Callee::Function(id) => &mut callers.by_name[id.0 as usize],
                    Callee::Address(_) => &mut callers.by_address,
                };
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
        }
        callers
    }
}
