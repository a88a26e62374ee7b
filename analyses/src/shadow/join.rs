//! Both sides of a branch, run one after the other up to where they meet again, and what they
//! leave joined: for domains whose truth values need not be known.

use super::Stuck;
use super::domain::{At, Domain, ValueOf};
use super::machine::{Frame, Machine};
use nanoscope_program::ir::{BlockId, Edge, End, Function, GlobalId};

/// Branches within sides of branches, at most: the rounds of a loop that a float ends.
const DEEPEST: u32 = 256;

/// Where a run goes on after both sides.
pub(super) enum Joined<D: Domain> {
    /// At the block where they meet.
    At(BlockId),
    /// Both have returned.
    Returned(ValueOf<D>),
}

/// Where the sides of branches meet: for each block the one that every way from it to the end of
/// the function comes by first. None: they meet at the end.
pub(super) struct Meetings(Vec<Option<BlockId>>);

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
        Meetings(above[..end].iter().copied().map(named).collect())
    }

    /// Where the sides of a block's branch meet.
    fn after(&self, block: u32) -> Option<BlockId> {
        self.0[block as usize]
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

impl<'c, D: Domain> Machine<'c, D> {
    /// Runs both sides of the branch at the end of a block.
    pub(super) fn both(
        &mut self,
        at: At,
        frame: &mut Frame<'c, D>,
        condition: &D::Symbol,
        sides: [&'c Edge; 2],
    ) -> Result<Joined<D>, Stuck> {
        if self.joins == DEEPEST {
            return Err(Stuck::new(format!("loop: more than {DEEPEST} branches in one another")));
        }
        self.make_globals();
        let function = frame.function;
        let meeting = self.meetings.entry(at.function).or_insert_with(|| Meetings::of(function));
        let meeting = meeting.after(at.block);
        self.joins += 1;
        let (registers, stack) = (frame.registers.clone(), frame.stack.len());
        let before = self.memory.keep();
        let mut ends = Vec::with_capacity(2);
        for edge in sides {
            self.follow(edge, frame)?;
            let returned = self.run(frame, edge.to, meeting)?;
            if returned.is_some() {
                for address in frame.stack.drain(stack..) {
                    self.memory.free(address);
                }
            }
            let left = std::mem::replace(&mut frame.registers, registers.clone());
            ends.push((returned, left, self.memory.restore(&before)));
        }
        self.joins -= 1;
        let second = ends.pop().expect("two sides");
        let first = ends.pop().expect("two sides");
        frame.at = at;
        let domain = &mut self.domain;
        self.memory.join(domain, &before, [first.2, second.2], |domain, values| {
            domain.joined(at, condition, values)
        })?;
        match (first.0, second.0) {
            (Some(a), Some(b)) => Ok(Joined::Returned(domain.joined(at, condition, [&a, &b])?)),
            (None, None) => {
                for (place, (a, b)) in first.1.iter().zip(&second.1).enumerate() {
                    frame.registers[place] = domain.joined(at, condition, [a, b])?;
                }
                let meeting = meeting.ok_or_else(|| Stuck::new("a branch has no end"))?;
                Ok(Joined::At(meeting))
            }
            (_, _) => Err(Stuck::new("the sides of a branch do not meet")),
        }
    }

    /// Makes the objects that both sides may be the first to ask for.
    fn make_globals(&mut self) {
        if self.errno.is_some() {
            return;
        }
        self.errno = self.memory.allocate(4).ok();
        let code = self.code;
        for (place, global) in code.globals.iter().enumerate() {
            if global.initial.is_some() && !global.constant {
                let id = GlobalId(place as u32);
                if self.global(id).is_err() {
                    self.globals[place] = None;
                }
            }
        }
    }
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
