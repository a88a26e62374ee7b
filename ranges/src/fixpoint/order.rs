//! The iteration order: a function's blocks with its loops nested, as Bourdoncle's weak
//! topological order has them.

use nanoscope_program::ir::{Block, BlockId, Edge, Function};

/// An element of a weak topological order.
#[derive(Debug)]
pub enum Element {
    /// A block outside of further loops.
    Block(BlockId),
    /// A loop.
    Loop(Loop),
}

/// A loop, a component of the order.
#[derive(Debug)]
pub struct Loop {
    /// Where it is entered.
    pub head: BlockId,
    /// What follows the head.
    pub body: Vec<Element>,
    /// Every block in it, by number.
    pub members: Vec<bool>,
}

/// The elements of a function in order.
pub fn of_function(function: &Function) -> Vec<Element> {
    Order::new(function).sort()
}

/// The edges back to the head of a loop.
pub fn back_edges<'f>(function: &'f Function, inner: &Loop) -> Vec<&'f Edge> {
    let blocks = function.blocks.iter().zip(&*inner.members).filter(|(_, member)| **member);
    let edges = blocks.flat_map(|(block, _)| block.end.edges());
    edges.filter(|edge| edge.to == inner.head).collect()
}

/// Marks the heads of loops.
pub fn mark_heads(elements: &[Element], heads: &mut [bool]) {
    for element in elements {
        if let Element::Loop(inner) = element {
            heads[inner.head.0 as usize] = true;
            mark_heads(&inner.body, heads);
        }
    }
}

/// Bourdoncle's algorithm ("Efficient chaotic iteration strategies with widenings", 1993).
struct Order<'f> {
    blocks: &'f [Block],
    number: Vec<u32>,
    stack: Vec<BlockId>,
    count: u32,
}

const DONE: u32 = u32::MAX;

impl<'f> Order<'f> {
    fn new(function: &'f Function) -> Order<'f> {
        let blocks = &function.blocks;
        Order { blocks, number: vec![0; blocks.len()], stack: Vec::new(), count: 0 }
    }

    fn sort(mut self) -> Vec<Element> {
        let mut order = Vec::new();
        if !self.blocks.is_empty() {
            self.visit(BlockId(0), &mut order);
        }
        order.reverse();
        order
    }

    fn successors(&self, block: BlockId) -> Vec<BlockId> {
        self.blocks[block.0 as usize].end.edges().into_iter().map(|edge| edge.to).collect()
    }

    /// Appends the order from a block on, in reverse.
    fn visit(&mut self, block: BlockId, partition: &mut Vec<Element>) -> u32 {
        self.stack.push(block);
        self.count += 1;
        self.number[block.0 as usize] = self.count;
        let mut head = self.count;
        let mut in_loop = false;
        for successor in self.successors(block) {
            let least = match self.number[successor.0 as usize] {
                0 => self.visit(successor, partition),
                number => number,
            };
            if least <= head {
                head = least;
                in_loop = true;
            }
        }
        if head == self.number[block.0 as usize] {
            self.number[block.0 as usize] = DONE;
            let mut element = self.stack.pop().expect("the block is on the stack");
            if in_loop {
                while element != block {
                    self.number[element.0 as usize] = 0;
                    element = self.stack.pop().expect("the block is on the stack");
                }
                partition.push(self.component(block));
            } else {
                partition.push(Element::Block(block));
            }
        }
        head
    }

    fn component(&mut self, head: BlockId) -> Element {
        let mut body = Vec::new();
        for successor in self.successors(head) {
            if self.number[successor.0 as usize] == 0 {
                self.visit(successor, &mut body);
            }
        }
        body.reverse();
        let mut members = vec![false; self.blocks.len()];
        members[head.0 as usize] = true;
        collect(&body, &mut members);
        Element::Loop(Loop { head, body, members })
    }
}

fn collect(elements: &[Element], members: &mut [bool]) {
    for element in elements {
        match element {
            Element::Block(block) => members[block.0 as usize] = true,
            Element::Loop(inner) => {
                members[inner.head.0 as usize] = true;
                collect(&inner.body, members);
            }
        }
    }
}
