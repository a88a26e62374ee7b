//! The shape of a function: its loops nested as Bourdoncle's weak topological order has
//! them, which registers are needed where, and where each is defined and used.

use crate::asked::{self, Answers, Question};
use crate::extremes::{self, Extreme};
use crate::slices::Slice;
use nanoscope_ieee::{Operation, Parameters};
use nanoscope_program::ir::{
    Act, Block, BlockId, Callee, Code, End, Function, Mode, Operand, Register, Type,
};
use std::collections::HashMap;
use std::ops::Deref;
use std::slice;

/// A block, or a loop with its head first.
#[derive(Debug)]
pub enum Element {
    /// A block that belongs to no further loop.
    Block(BlockId),
    /// A loop.
    Loop(Loop),
}

/// A loop: its head, and what else is in it.
#[derive(Debug)]
pub struct Loop {
    /// Where it is entered.
    pub head: BlockId,
    /// What follows the head.
    pub body: Vec<Element>,
    /// Every block in it, by number.
    pub members: Vec<bool>,
}

/// What the analysis needs to know of a function's text.
#[derive(Debug)]
pub struct Shape {
    /// Its blocks in order.
    pub order: Vec<Element>,
    /// The registers that are read in a block or after it, before they are assigned there,
    /// and the floats of whose bits such registers tell.
    pub live: Vec<Vec<Register>>,
    /// Where a register is assigned by an instruction: block and position.
    pub definitions: ByRegister<(BlockId, usize)>,
    /// The instructions that read a register.
    pub users: ByRegister<Vec<(BlockId, usize)>>,
    /// Whether a block is the head of a loop.
    pub heads: Vec<bool>,
    /// Which registers are computed alike.
    numbers: Numbers,
    /// What it asks its callers.
    pub questions: Vec<Question>,
    /// What it answers those that it calls.
    pub answers: Answers,
    /// The sums whose operands share what they come from.
    pub shared: ByRegister<()>,
    /// What computes values from one register each.
    pub slices: ByRegister<Slice>,
    /// Registers that are the lesser or the greater of two.
    pub extremes: ByRegister<Extreme>,
}

/// Something for some of a function's registers.
#[derive(Clone, Debug)]
pub struct ByRegister<T>(Vec<Option<T>>);

impl<T> ByRegister<T> {
    /// Nothing for any of them.
    pub fn of(function: &Function) -> ByRegister<T> {
        ByRegister(function.registers.iter().map(|_| None).collect())
    }

    /// What there is for a register.
    pub fn get(&self, register: &Register) -> Option<&T> {
        self.0.get(register.0 as usize)?.as_ref()
    }

    /// The registers that there is something for, with it.
    pub fn iter(&self) -> impl Iterator<Item = (Register, &T)> {
        let there = |(at, item): (u32, &'_ Option<T>)| item.as_ref().map(|_| Register(at));
        let registers = (0..).zip(&self.0).filter_map(there);
        registers.filter_map(|register| Some((register, self.get(&register)?)))
    }

    /// Puts something there.
    pub fn insert(&mut self, register: Register, item: T) {
        self.0[register.0 as usize] = Some(item);
    }
}

impl Shape {
    /// Looks at a function of a program, or at one that is entered by nobody but its caller.
    pub fn of(function: &Function, code: Option<&Code>) -> Shape {
        let mut heads = vec![false; function.blocks.len()];
        let order = Order::new(function).sort();
        fn mark(elements: &[Element], heads: &mut [bool]) {
            for element in elements {
                if let Element::Loop(inner) = element {
                    heads[inner.head.0 as usize] = true;
                    mark(&inner.body, heads);
                }
            }
        }
        mark(&order, &mut heads);
        let mut definitions = ByRegister::of(function);
        let mut users: ByRegister<Vec<(BlockId, usize)>> = ByRegister::of(function);
        for (number, block) in function.blocks.iter().enumerate() {
            for (position, instruction) in block.instructions.iter().enumerate() {
                let place = (BlockId(number as u32), position);
                if let Some(result) = instruction.result {
                    definitions.insert(result, place);
                }
                for operand in &*operands(&instruction.act) {
                    if let Operand::Register(register) = operand {
                        users.0[register.0 as usize].get_or_insert_default().push(place);
                    }
                }
            }
        }
        let numbers = Numbers::of_function(function);
        let answers = code.map(|code| asked::answers(code, function, &numbers, &definitions));
        let answers = answers.unwrap_or_default();
        let questions = if code.is_some() { asked::questions(function) } else { Vec::new() };
        let mut live = liveness(function, &answers);
        keep_sources(function, &definitions, &mut live);
        let extremes = extremes::of_function(function, &definitions, &numbers);
        crate::reminders::keep(function, &definitions, &numbers.first, &extremes, &mut live);
        let (shared, slices) = (ByRegister::of(function), ByRegister::of(function));
        let mut shape = Shape {
            order,
            live,
            definitions,
            users,
            heads,
            numbers,
            questions,
            answers,
            shared,
            slices,
            extremes,
        };
        shape.shared = crate::linear::shared(function, &shape);
        if let Some(code) = code {
            shape.slices = crate::slices::of_function(code, function, &shape);
        }
        shape
    }

    /// The first register that is computed as this one is: by the same operation on floats
    /// of what is computed alike. They are equal where both can be read.
    pub fn number(&self, register: Register) -> Register {
        self.numbers.first[register.0 as usize]
    }

    /// The other registers that are computed as this one is. They are equal where both can be
    /// read, and what is known anywhere can be read there.
    pub fn twins(&self, register: Register) -> impl Iterator<Item = Register> {
        self.numbers.twins(register)
    }

    /// Whether two operands are computed alike.
    pub fn alike(&self, a: Operand, b: Operand) -> bool {
        match (a, b) {
            (Operand::Register(a), Operand::Register(b)) => self.number(a) == self.number(b),
            (Operand::Register(_) | Operand::Constant(_), _) => false,
        }
    }
}

/// Which registers of a function are computed alike.
#[derive(Debug)]
pub struct Numbers {
    /// For each register, the first that is computed as it is.
    first: Vec<Register>,
    known: HashMap<Computation, Register>,
    /// For each first register that is not the only one, all that are computed as it is.
    groups: HashMap<Register, Vec<Register>>,
}

/// How a register is computed, the registers it is computed from being first ones.
type Computation = (Operation, Parameters, Mode, Vec<Operand>);

fn computation(act: &Act, mut operands: Vec<Operand>) -> Option<Computation> {
    let Act::Float { operation, parameters, mode, relaxed: false, .. } = act else { return None };
    if matches!(operation, Operation::Add | Operation::Mul) {
        operands.sort_unstable();
    }
    Some((*operation, *parameters, *mode, operands))
}

impl Numbers {
    fn of_function(function: &Function) -> Numbers {
        let first = (0..function.registers.len() as u32).map(Register).collect();
        let mut numbers = Numbers { first, known: HashMap::new(), groups: HashMap::new() };
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(result) = instruction.result else { continue };
            if let Act::Float { operands, .. } = &instruction.act {
                let operands = operands.iter().map(|operand| numbers.of(*operand)).collect();
                if let Some(key) = computation(&instruction.act, operands) {
                    numbers.first[result.0 as usize] = *numbers.known.entry(key).or_insert(result);
                }
            }
        }
        for (register, first) in (0..).map(Register).zip(&numbers.first) {
            if register != *first {
                numbers.groups.entry(*first).or_insert_with(|| vec![*first]).push(register);
            }
        }
        numbers
    }

    /// An operand, or the first register that is computed as it is.
    pub fn of(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Register(register) => Operand::Register(self.first[register.0 as usize]),
            Operand::Constant(_) => operand,
        }
    }

    /// The first register that an act like this one gives with such operands.
    pub fn computed(&self, act: &Act, operands: Vec<Operand>) -> Option<Register> {
        self.known.get(&computation(act, operands)?).copied()
    }

    /// The registers that are computed like a first one.
    pub fn alike(&self, first: Register) -> Vec<Register> {
        self.groups.get(&first).cloned().unwrap_or_else(|| vec![first])
    }

    /// The other registers that are computed as this one is.
    fn twins(&self, register: Register) -> impl Iterator<Item = Register> {
        let group = match self.groups.is_empty() {
            true => None,
            false => self.groups.get(&self.first[register.0 as usize]),
        };
        group.into_iter().flatten().copied().filter(move |twin| *twin != register)
    }
}

/// Operands, where they stand in the text if they stand there together.
pub enum Operands<'a> {
    /// In the text.
    There(&'a [Operand]),
    /// Put together: two of them.
    Two([Operand; 2]),
    /// Any number.
    Listed(Vec<Operand>),
}

impl Deref for Operands<'_> {
    type Target = [Operand];

    fn deref(&self) -> &[Operand] {
        match self {
            Operands::There(operands) => operands,
            Operands::Two(operands) => operands,
            Operands::Listed(operands) => operands,
        }
    }
}

/// Everything that an act reads.
pub fn operands(act: &Act) -> Operands<'_> {
    match act {
        Act::Integer { operands, .. }
        | Act::IntegerCompare { operands, .. }
        | Act::FloatCompare { operands, .. }
        | Act::Lane { operands }
        | Act::Shuffle { operands, .. }
        | Act::SetMember { operands, .. } => Operands::There(operands),
        Act::FunnelShift { operands, .. }
        | Act::Select { operands }
        | Act::SetLane { operands } => Operands::There(operands),
        Act::IntegerUnary { operand, .. }
        | Act::Convert { operand, .. }
        | Act::Classify { operand, .. }
        | Act::Freeze { operand }
        | Act::Member { operand, .. } => Operands::There(slice::from_ref(operand)),
        Act::Float { operands, .. }
        | Act::Special { operands, .. }
        | Act::Unknown { operands, .. } => Operands::There(operands),
        Act::Allocate { count, .. } => Operands::There(slice::from_ref(count)),
        Act::Offset { base, scaled, .. } => match &scaled[..] {
            [] => Operands::There(slice::from_ref(base)),
            [(index, _)] => Operands::Two([*base, *index]),
            [..] => {
                let indices = scaled.iter().map(|(index, _)| *index);
                Operands::Listed([*base].into_iter().chain(indices).collect())
            }
        },
        Act::Load { address, .. } => Operands::There(slice::from_ref(address)),
        Act::Store { address, value, .. } => Operands::Two([*address, *value]),
        Act::Call { callee, arguments, .. } => {
            let Callee::Address(address) = callee else { return Operands::There(arguments) };
            Operands::Listed(arguments.iter().chain([address]).copied().collect())
        }
    }
}

/// The ways out of a block.
pub fn edges(end: &End) -> Vec<&nanoscope_program::ir::Edge> {
    match end {
        End::Return(_) | End::Unreachable | End::Unknown(_) => Vec::new(),
        End::Jump(edge) => vec![edge],
        End::Branch { then, otherwise, .. } => vec![then, otherwise],
        End::Switch { cases, default, .. } => {
            cases.iter().map(|(_, edge)| edge).chain([default]).collect()
        }
        End::Computed { edges, .. } => edges.iter().map(|(_, edge)| edge).collect(),
    }
}

fn end_operand(end: &End) -> Option<Operand> {
    match end {
        End::Return(operand) => *operand,
        End::Branch { condition, .. } => Some(*condition),
        End::Switch { on, .. } => Some(*on),
        End::Computed { to, .. } => Some(*to),
        End::Jump(_) | End::Unreachable | End::Unknown(_) => None,
    }
}

/// For each block, the registers needed at its start.
fn liveness(function: &Function, answers: &Answers) -> Vec<Vec<Register>> {
    let words = function.registers.len().div_ceil(64);
    let mut live = vec![vec![0u64; words]; function.blocks.len()];
    let put = |set: &mut [u64], operand: Operand| {
        if let Operand::Register(Register(r)) = operand {
            set[r as usize / 64] |= 1 << (r % 64);
        }
    };
    let cut = |set: &mut [u64], Register(r): Register| set[r as usize / 64] &= !(1 << (r % 64));
    loop {
        let mut changed = false;
        for (number, block) in function.blocks.iter().enumerate().rev() {
            let mut set = vec![0u64; words];
            for edge in edges(&block.end) {
                let mut on_edge = live[edge.to.0 as usize].clone();
                edge.moves.iter().for_each(|(register, _)| cut(&mut on_edge, *register));
                edge.moves.iter().for_each(|(_, operand)| put(&mut on_edge, *operand));
                set.iter_mut().zip(&on_edge).for_each(|(a, b)| *a |= b);
            }
            if let Some(operand) = end_operand(&block.end) {
                put(&mut set, operand);
            }
            for (position, instruction) in block.instructions.iter().enumerate().rev() {
                if let Some(result) = instruction.result {
                    cut(&mut set, result);
                }
                let answers = answers.get(&(BlockId(number as u32), position));
                for register in answers.into_iter().flatten().flatten() {
                    put(&mut set, Operand::Register(*register));
                }
                for operand in &*operands(&instruction.act) {
                    put(&mut set, *operand);
                }
            }
            if set != live[number] {
                live[number] = set;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let registers = |set: &Vec<u64>| {
        (0..function.registers.len() as u32)
            .filter(|r| set[*r as usize / 64] >> (r % 64) & 1 == 1)
            .map(Register)
            .collect()
    };
    live.iter().map(registers).collect()
}

/// Adds to the registers needed at the start of each block the floats that integers among
/// them were made of: what is learnt of these is learnt of the float, and of whatever else
/// was made of it.
fn keep_sources(
    function: &Function,
    definitions: &ByRegister<(BlockId, usize)>,
    live: &mut [Vec<Register>],
) {
    let mut known: HashMap<Register, Option<Register>> = HashMap::new();
    for list in live {
        let mut more: Vec<Register> = Vec::new();
        for register in &*list {
            let source =
                known.entry(*register).or_insert_with(|| source(function, definitions, *register));
            more.extend(source.iter());
        }
        if !more.is_empty() {
            list.extend(more);
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// The float that an integer was made of, by operations on it and constants alone.
fn source(
    function: &Function,
    definitions: &ByRegister<(BlockId, usize)>,
    mut register: Register,
) -> Option<Register> {
    const LONGEST: usize = 8;
    let is_float =
        |register: Register| matches!(function.registers[register.0 as usize], Type::Float(_));
    for _ in 0..LONGEST {
        if is_float(register) {
            return None;
        }
        let (block, position) = definitions.get(&register)?;
        let act = &function.block(*block).instructions[*position].act;
        if !matches!(
            act,
            Act::Integer { .. }
                | Act::IntegerCompare { .. }
                | Act::Convert { .. }
                | Act::Call { callee: Callee::Function(_), .. }
        ) {
            return None;
        }
        let list = operands(act);
        let mut registers = list.iter().filter_map(|operand| match operand {
            Operand::Register(register) => Some(*register),
            Operand::Constant(_) => None,
        });
        let (Some(only), None) = (registers.next(), registers.next()) else { return None };
        if is_float(only) {
            return Some(only);
        }
        register = only;
    }
    None
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
        edges(&self.blocks[block.0 as usize].end).into_iter().map(|edge| edge.to).collect()
    }

    /// Partitions come out in reverse; whoever takes them turns them round.
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
