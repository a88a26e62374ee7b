//! How far it is to the operations that goals are about, in the graph of calls and blocks.

use crate::coverage::{FAR, ways};
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
        // Repeated until nothing comes nearer: distances only fall.
        while aim.approach(code) {}
        aim
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

    fn approach(&mut self, code: &Code) -> bool {
        let mut nearer = false;
        for (number, function) in code.functions.iter().enumerate() {
            for at in (0..function.blocks.len()).rev() {
                let least = self.from(function, (FunctionId(number as u32), at), 0);
                if least < self.blocks[number][at] {
                    self.blocks[number][at] = least;
                    nearer = true;
                }
            }
            if let Some(entry) = self.blocks[number].first() {
                self.nearest_entry = self.nearest_entry.min(*entry);
            }
        }
        nearer
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
        for edge in ways(&block.end) {
            let beyond = self.blocks[id.0 as usize][edge.to.0 as usize];
            least = least.min(beyond.saturating_add(length));
        }
        least.min(FAR)
    }
}
