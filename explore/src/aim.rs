//! How far it is to the operations that goals are about, in the graph of calls and blocks.

use crate::coverage::FAR;
use crate::state::{Stage, State};
use nanoscope_program::SiteId;
use nanoscope_program::ir::{Act, Block, Callee, Code, Function, FunctionId};

/// Distances to goals.
pub struct Aim {
    /// Instructions from the start of each block to a goal, at least.
    blocks: Vec<Vec<u32>>,
    /// The least of all functions' entries: where a call through an address may lead.
    nearest_entry: u32,
    /// Whether an instruction's site has a goal, by function and block, in order.
    aimed: Vec<Vec<Vec<u32>>>,
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
        let more = !state.at_exit.is_empty() || !code.destructors.is_empty();
        if more || state.stage != Stage::Main || state.frames.is_empty() {
            return RETURN_COST;
        }
        let heading = state.waiting.as_ref().and_then(|waiting| waiting.heading);
        let mut least = FAR;
        for (level, frame) in state.frames.iter().rev().enumerate() {
            let cost = RETURN_COST.saturating_mul(level as u32);
            if cost >= least {
                break;
            }
            let within = match heading {
                Some((block, _)) if level == 0 => {
                    self.blocks[frame.function.0 as usize][block.0 as usize]
                }
                Some(_) | None => {
                    let at = (frame.function, frame.block.0 as usize);
                    self.from(code.function(frame.function), at, frame.at)
                }
            };
            least = least.min(within.saturating_add(cost));
        }
        least.min(FAR)
    }

    /// Repeats the blocks of a function until none comes nearer. Whether its entry did.
    fn approach(&mut self, code: &Code, number: usize) -> bool {
        let function = &code.functions[number];
        let before = self.blocks[number].first().copied();
        let mut nearer = true;
        while nearer {
            nearer = false;
            for at in (0..function.blocks.len()).rev() {
                let least = self.from(function, (FunctionId(number as u32), at), 0);
                if least < self.blocks[number][at] {
                    self.blocks[number][at] = least;
                    nearer = true;
                }
            }
        }
        self.blocks[number].first().copied() != before
    }

    /// From an instruction of a block.
    fn from(&self, function: &Function, (id, at): (FunctionId, usize), first: u32) -> u32 {
        let block = &function.blocks[at];
        let aimed = &self.aimed[id.0 as usize][at];
        let mut least = aimed.iter().find(|place| **place >= first).map_or(FAR, |at| at - first);
        let rest = block.instructions.iter().skip(first as usize);
        for (before, instruction) in rest.enumerate() {
            if before as u32 >= least {
                return least;
            }
            if let Act::Call { callee, .. } = &instruction.act {
                let within = match callee {
                    Callee::Function(id) => {
                        self.blocks[id.0 as usize].first().copied().unwrap_or(FAR)
                    }
                    Callee::Address(_) => self.nearest_entry,
                };
                least = least.min(within.saturating_add(before as u32 + 1));
            }
        }
        let length = (block.instructions.len() as u32).saturating_sub(first) + 1;
        for edge in block.end.edges() {
            let beyond = self.blocks[id.0 as usize][edge.to.0 as usize];
            least = least.min(beyond.saturating_add(length));
        }
        least.min(FAR)
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
