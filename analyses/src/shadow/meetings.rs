//! Where the sides of a branch meet again.

use nanoscope_program::ir::{BlockId, End, Function};

/// Where the sides of branches meet: for each block the one that every way from it to the end of
/// the function comes by first. None: they meet at the end.
pub(super) struct Meetings {
    after: Vec<Option<BlockId>>,
    /// The blocks from which a return can be reached.
    returns: Vec<bool>,
}

impl Meetings {
    /// Of a function: immediate postdominators, by the algorithm of Cooper, Harvey and Kennedy on
    /// the reversed graph. Ways that end nowhere do not count.
    pub fn of(function: &Function) -> Meetings {
        let end = function.blocks.len();
        let next: Vec<Vec<usize>> = function
            .blocks
            .iter()
            .map(|block| match &block.end {
                End::Return(_) => vec![end],
                other => other.edges().iter().map(|edge| edge.to.0 as usize).collect(),
            })
            .collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
        for (block, next) in next.iter().enumerate() {
            for &to in next {
                before[to].push(block);
            }
        }
        let number = postorder(&before, end);
        let mut order: Vec<usize> = (0..end).filter(|&block| number[block].is_some()).collect();
        order.sort_by_key(|&block| std::cmp::Reverse(number[block]));
        let mut above: Vec<Option<usize>> = vec![None; end + 1];
        above[end] = Some(end);
        let meet = |above: &[Option<usize>], mut a: usize, mut b: usize| {
            while a != b {
                let lower = if number[a] < number[b] { &mut a } else { &mut b };
                *lower = above[*lower].unwrap_or(end);
            }
            a
        };
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order {
                let mut known = next[block].iter().copied().filter(|&to| above[to].is_some());
                let Some(first) = known.next() else { continue };
                let found = known.fold(first, |found, to| meet(&above, found, to));
                changed |= above[block] != Some(found);
                above[block] = Some(found);
            }
        }
        let named =
            |block: Option<usize>| block.filter(|&at| at != end).map(|at| BlockId(at as u32));
        Meetings {
            after: above[..end].iter().copied().map(named).collect(),
            returns: number[..end].iter().map(Option::is_some).collect(),
        }
    }

    /// Where the sides of a block's branch meet.
    pub fn after(&self, block: u32) -> Option<BlockId> {
        self.after[block as usize]
    }

    /// Whether a return can be reached from all of some blocks.
    pub fn both_return(&self, blocks: [BlockId; 2]) -> bool {
        blocks.iter().all(|block| self.returns[block.0 as usize])
    }
}

/// The numbers of nodes in postorder from a root.
fn postorder(edges: &[Vec<usize>], root: usize) -> Vec<Option<usize>> {
    let mut number = vec![None; edges.len()];
    let mut seen = vec![false; edges.len()];
    seen[root] = true;
    let mut pending = vec![(root, 0)];
    let mut count = 0;
    while let Some((node, at)) = pending.last_mut() {
        match edges[*node].get(*at) {
            Some(&to) => {
                *at += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    pending.push((to, 0));
                }
            }
            None => {
                number[*node] = Some(count);
                count += 1;
                pending.pop();
            }
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::postorder;

    #[test]
    fn a_node_comes_after_what_it_leads_to() {
        let edges = [vec![1, 2], vec![3], vec![3], vec![1], vec![]];
        let number = postorder(&edges, 0);
        assert_eq!(number[0], Some(3));
        assert!(number[1] > number[3] && number[4].is_none());
    }
}
