//! Which blocks of a function come before which, whatever way control takes.

use crate::shape::edges;
use nanoscope_program::ir::{BlockId, Function};

/// Which blocks every way to a block leads through.
pub struct Dominators {
    sets: Vec<Vec<u64>>,
    /// The blocks that lead to each.
    pub before: Vec<Vec<BlockId>>,
}

impl Dominators {
    /// Looks at a function.
    pub fn of(function: &Function) -> Dominators {
        let count = function.blocks.len();
        let mut before = vec![Vec::new(); count];
        for (at, block) in function.blocks.iter().enumerate() {
            for edge in edges(&block.end) {
                before[edge.to.0 as usize].push(BlockId(at as u32));
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
                for block in &before[at] {
                    set.iter_mut().zip(&sets[block.0 as usize]).for_each(|(a, b)| *a &= b);
                }
                set[at / 64] |= 1 << (at % 64);
                if set != sets[at] {
                    sets[at] = set;
                    changed = true;
                }
            }
            if !changed {
                return Dominators { sets, before };
            }
        }
    }

    /// Whether whatever comes to a place has come by another before.
    pub fn comes_before(&self, there: (BlockId, usize), here: (BlockId, usize)) -> bool {
        match there.0 == here.0 {
            true => there.1 < here.1,
            false => self.dominates(there.0, here.0),
        }
    }

    /// Whether every way to a block leads through another, or it is that one.
    pub fn dominates(&self, first: BlockId, then: BlockId) -> bool {
        self.sets[then.0 as usize][first.0 as usize / 64] >> (first.0 % 64) & 1 == 1
    }
}
