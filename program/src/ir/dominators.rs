//! Dominators of a function's control-flow graph.

use super::{BlockId, Function};

/// For each block, the blocks that dominate it, and its predecessors.
pub struct Dominators {
    sets: Vec<Vec<u64>>,
    /// The predecessors of each block.
    pub predecessors: Vec<Vec<BlockId>>,
}

impl Dominators {
    /// The dominators of a function, by iteration over bit sets.
    pub fn of(function: &Function) -> Dominators {
        let count = function.blocks.len();
        let mut predecessors = vec![Vec::new(); count];
        for (at, block) in function.blocks.iter().enumerate() {
            for edge in block.end.edges() {
                predecessors[edge.to.0 as usize].push(BlockId(at as u32));
            }
        }
        let words = count.div_ceil(64);
        let only = |at: usize| {
            let mut set = vec![0u64; words];
            set[at / 64] = 1 << (at % 64);
            set
        };
        let mut sets = vec![vec![u64::MAX; words]; count];
        sets[0] = only(0);
        loop {
            let mut changed = false;
            for at in 1..count {
                let mut set = vec![u64::MAX; words];
                for block in &predecessors[at] {
                    set.iter_mut().zip(&sets[block.0 as usize]).for_each(|(a, b)| *a &= b);
                }
                set[at / 64] |= 1 << (at % 64);
                if set != sets[at] {
                    sets[at] = set;
                    changed = true;
                }
            }
            if !changed {
                return Dominators { sets, predecessors };
            }
        }
    }

    /// Whether the instruction `there` dominates the instruction `here`, and is another.
    pub fn comes_before(&self, there: (BlockId, usize), here: (BlockId, usize)) -> bool {
        match there.0 == here.0 {
            true => there.1 < here.1,
            false => self.dominates(there.0, here.0),
        }
    }

    /// Whether every path to `then` leads through `first`.
    pub fn dominates(&self, first: BlockId, then: BlockId) -> bool {
        self.sets[then.0 as usize][first.0 as usize / 64] >> (first.0 % 64) & 1 == 1
    }
}
