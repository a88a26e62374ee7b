//! Which ways through the program paths have taken, and how far it is to others.

use nanoscope_program::ir::{Act, BlockId, Callee, Code, Function, FunctionId};
use std::collections::BTreeSet;

/// The ways between blocks that were taken.
pub struct Coverage {
    functions: Vec<Covered>,
    /// Counts ways that were new.
    version: u64,
    /// How far it is from each block to a way not taken, as of a version.
    distances: (u64, Vec<Vec<u32>>),
}

/// What was covered of a function.
struct Covered {
    /// Whether its entry was, and then its ways, block by block.
    ways: Vec<bool>,
    /// The first way of each block.
    first: Vec<u32>,
    entered: bool,
}

/// Farther than any way is long.
pub const FAR: u32 = u32::MAX / 4;

impl Coverage {
    /// Nothing covered yet.
    pub fn new(code: &Code) -> Coverage {
        let functions = code
            .functions
            .iter()
            .map(|function| {
                let mut first = Vec::with_capacity(function.blocks.len());
                let mut count = 0;
                for block in &function.blocks {
                    first.push(count);
                    count += block.end.edges().len() as u32;
                }
                Covered { ways: vec![false; count as usize], first, entered: false }
            })
            .collect();
        Coverage { functions, version: 0, distances: (u64::MAX, Vec::new()) }
    }

    /// Notes that a function was entered; whether that is new.
    #[inline]
    pub fn enter(&mut self, function: FunctionId) -> bool {
        let covered = &mut self.functions[function.0 as usize];
        let new = !covered.entered;
        if new {
            covered.entered = true;
            self.version += 1;
        }
        new
    }

    /// Notes that a way out of a block was taken; whether that is new.
    #[inline]
    pub fn take(&mut self, function: FunctionId, block: BlockId, way: u32) -> bool {
        let covered = &mut self.functions[function.0 as usize];
        let at = (covered.first[block.0 as usize] + way) as usize;
        let new = !covered.ways[at];
        if new {
            covered.ways[at] = true;
            self.version += 1;
        }
        new
    }

    /// Whether a way out of a block was taken.
    pub fn taken(&self, function: FunctionId, block: BlockId, way: u32) -> bool {
        let covered = &self.functions[function.0 as usize];
        covered.ways[(covered.first[block.0 as usize] + way) as usize]
    }

    /// The blocks that paths came by.
    pub fn blocks(&self, code: &Code) -> BTreeSet<(FunctionId, BlockId)> {
        let mut blocks = BTreeSet::new();
        for (number, (covered, function)) in self.functions.iter().zip(&code.functions).enumerate()
        {
            let id = FunctionId(number as u32);
            if covered.entered && function.is_defined() {
                blocks.insert((id, BlockId(0)));
            }
            for (at, block) in function.blocks.iter().enumerate() {
                for (way, edge) in block.end.edges().into_iter().enumerate() {
                    if covered.ways[covered.first[at] as usize + way] {
                        blocks.insert((id, edge.to));
                    }
                }
            }
        }
        blocks
    }

    /// Instructions from the start of a block to a way that was not taken, at least.
    pub fn distance(&mut self, code: &Code, function: FunctionId, block: BlockId) -> u32 {
        if self.distances.0 != self.version {
            self.distances = (self.version, self.measure(code));
        }
        self.distances.1[function.0 as usize][block.0 as usize]
    }

    /// Distances within each function, calls included: the way into a function is as far as
    /// what is new within it. Repeated until calls bring nothing nearer.
    fn measure(&self, code: &Code) -> Vec<Vec<u32>> {
        let mut distances: Vec<Vec<u32>> =
            code.functions.iter().map(|function| vec![FAR; function.blocks.len()]).collect();
        loop {
            let entries: Vec<u32> =
                distances.iter().map(|list| list.first().copied().unwrap_or(FAR)).collect();
            for ((function, covered), list) in
                code.functions.iter().zip(&self.functions).zip(&mut distances)
            {
                approach(function, covered, &entries, list);
            }
            let nearer = distances
                .iter()
                .zip(&entries)
                .any(|(list, before)| list.first().is_some_and(|distance| distance < before));
            if !nearer {
                return distances;
            }
        }
    }
}

/// Distances within a function, given those of entries; until nothing changes.
fn approach(function: &Function, covered: &Covered, entries: &[u32], distances: &mut [u32]) {
    loop {
        let mut nearer = false;
        for (at, block) in function.blocks.iter().enumerate().rev() {
            let mut least = distances[at];
            let length = block.instructions.len() as u32 + 1;
            for (way, edge) in block.end.edges().into_iter().enumerate() {
                let taken = covered.ways[covered.first[at] as usize + way];
                let beyond = if taken { distances[edge.to.0 as usize] } else { 0 };
                least = least.min(beyond.saturating_add(length));
            }
            for (before, instruction) in block.instructions.iter().enumerate() {
                if let Act::Call { callee: Callee::Function(id), .. } = instruction.act {
                    let within = entries[id.0 as usize];
                    least = least.min(within.saturating_add(before as u32 + 1));
                }
            }
            if least < distances[at] {
                distances[at] = least.min(FAR);
                nearer = true;
            }
        }
        if !nearer {
            return;
        }
    }
}
