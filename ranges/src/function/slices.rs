//! Slices: the instructions between a value and the one register on which it depends in several
//! ways.

use super::definitions::{ByRegister, Definitions, Place};
use super::value_numbers::ValueNumbers;
use crate::policy::LARGEST_SLICE;
use nanoscope_ieee::{Format, Operation, operations};
use nanoscope_program::ir::{
    Act, Callee, Code, ConstantId, Function, IntegerConversion, IntegerOperation, Operand,
    Register, Type,
};

/// The instructions that compute a value from one register.
#[derive(Debug)]
pub struct Slice {
    /// The register.
    pub from: Register,
    /// Acts in order; the last gives the value.
    pub nodes: Vec<Node>,
}

/// An act of a slice.
#[derive(Debug)]
pub struct Node {
    pub place: Place,
    pub result: Register,
    pub sources: Vec<Source>,
    /// The function of the mathematical library that it calls.
    pub library: Option<&'static str>,
}

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The register that the slice begins with.
    From,
    /// An act before.
    Node(usize),
    /// A constant.
    Constant(ConstantId),
}

/// The functions of the library that are run in slices.
const LIBRARY: &[&str] = &[
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "atan", "asin", "acos", "sinh",
    "tanh", "asinh", "acosh", "atanh", "cbrt", "cosh", "sin", "cos", "tan", "pow", "sqrt", "fabs",
];

/// The slices of a function, by the register that they compute.
pub fn of_function(
    code: &Code,
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
) -> ByRegister<Slice> {
    let (known, order) = (Vec::new(), Vec::new());
    let graph = Graph { code, function, definitions, numbers, tables: false, known, order };
    let mut found = ByRegister::of(function);
    for block in &function.blocks {
        for instruction in &block.instructions {
            if let Act::Float { operation, relaxed: false, .. } = &instruction.act
                && matches!(operation, operations!(Rational))
                && let Some(result) = instruction.result
                && is_float(function, result)
                && let Some(slice) = graph.slice_of(result)
            {
                found.insert(result, slice);
            }
        }
    }
    found
}

fn is_float(function: &Function, register: Register) -> bool {
    let ty = &function.registers[register.0 as usize];
    matches!(ty, Type::Float(Format::BINARY64 | Format::BINARY32))
}

/// The dependences of a value.
struct Graph<'a> {
    code: &'a Code,
    function: &'a Function,
    definitions: &'a Definitions,
    numbers: &'a ValueNumbers,
    /// Whether it goes through integers and loads of constant tables.
    tables: bool,
    /// Registers and the acts that define them, the nearest first; one of each value number.
    known: Vec<(Register, Option<Place>)>,
    /// Positions in that list in topological order, operands first.
    order: Vec<usize>,
}

impl<'a> Graph<'a> {
    /// The slice of a value: through floats alone, or through look-ups in tables.
    fn slice_of(&self, value: Register) -> Option<Slice> {
        let slice = self.of(value, false).slice();
        slice.or_else(|| {
            let slice = self.of(value, true).slice()?;
            let loads = |node: &Node| {
                let act = &self.function.block(node.place.0).instructions[node.place.1].act;
                matches!(act, Act::Load { .. })
            };
            slice.nodes.iter().any(loads).then_some(slice)
        })
    }

    fn of(&self, value: Register, tables: bool) -> Graph<'a> {
        let mut graph = Graph { tables, known: Vec::new(), order: Vec::new(), ..*self };
        graph.known.push((value, graph.act(value)));
        let mut next = 0;
        while next < graph.known.len() {
            for register in graph.operands(next) {
                if graph.position(register).is_none() {
                    let act = (next < LARGEST_SLICE).then(|| graph.act(register)).flatten();
                    graph.known.push((register, act));
                }
            }
            next += 1;
        }
        graph.sort(0);
        graph
    }

    fn position(&self, register: Register) -> Option<usize> {
        let number = self.numbers.number(register);
        self.known.iter().position(|(known, _)| self.numbers.number(*known) == number)
    }

    /// The act that gives a register, if a slice can run it.
    fn act(&self, register: Register) -> Option<Place> {
        let place = self.definitions.place(register)?;
        let act = &self.function.block(place.0).instructions[place.1].act;
        let is_float = is_float(self.function, register);
        let runs = match act {
            Act::Float { operation, relaxed: false, .. } => match operation {
                Operation::Sqrt | operations!(Rational, Mirror) => is_float,
                Operation::FromSigned | Operation::RoundToIntegral => is_float && self.tables,
                Operation::ToSigned => self.tables,
                // Any other operation begins a slice at best.
                _ => false,
            },
            Act::Call { .. } => is_float && self.library(act).is_some(),
            Act::Integer { operation, .. } => {
                let sums = matches!(operation, IntegerOperation::Add | IntegerOperation::Sub);
                self.tables && sums
            }
            Act::Convert { conversion, .. } => {
                self.tables && matches!(conversion, IntegerConversion::SignExtend)
            }
            Act::Offset { base, .. } => self.tables && matches!(base, Operand::Constant(_)),
            Act::Load { .. } => is_float && self.tables,
            // Any other act begins a slice at best.
            _ => false,
        };
        runs.then_some(place)
    }

    /// The function of the mathematical library that an act calls.
    fn library(&self, act: &Act) -> Option<&'static str> {
        let Act::Call { callee: Callee::Function(callee), types, .. } = act else { return None };
        let callee = self.code.function(*callee);
        let double = |ty: &Type| *ty == Type::Float(Format::BINARY64);
        if callee.is_defined() || !types.iter().all(double) {
            return None;
        }
        LIBRARY.iter().copied().find(|name| *name == callee.name)
    }

    /// The registers that an act reads.
    fn operands(&self, position: usize) -> Vec<Register> {
        let Some((block, at)) = self.known[position].1 else { return Vec::new() };
        self.function.block(block).instructions[at].act.operands().registers().collect()
    }

    /// The positions of those.
    fn positions(&self, position: usize) -> Vec<usize> {
        let known = |register| self.position(register).expect("all were added");
        self.operands(position).into_iter().map(known).collect()
    }

    fn sort(&mut self, position: usize) {
        if self.order.contains(&position) {
            return;
        }
        for operand in self.positions(position) {
            self.sort(operand);
        }
        self.order.push(position);
    }

    /// The slice between the value and the nearest register that all of its paths to the value
    /// share, if there are several.
    fn slice(&self) -> Option<Slice> {
        // The number of paths from each register to the leaves, and from the value to it.
        let mut down = vec![0u128; self.known.len()];
        for &position in &self.order {
            let operands = self.positions(position);
            let leaf = self.known[position].1.is_none();
            down[position] = u128::from(leaf) + operands.iter().map(|o| down[*o]).sum::<u128>();
        }
        let mut up = vec![0u128; self.known.len()];
        up[0] = 1;
        for &position in self.order.iter().rev() {
            for operand in self.positions(position) {
                up[operand] += up[position];
            }
        }
        let mut nearest = self.order.iter().rev().skip(1).copied();
        let from = nearest.find(|&at| up[at] * down[at] == down[0] && down[at] > 0)?;
        let register = self.known[from].0;
        if up[from] < 2 || !is_float(self.function, register) {
            return None;
        }
        let mut needed = vec![false; self.known.len()];
        needed[0] = true;
        for &position in self.order.iter().rev().filter(|&&position| position != from) {
            if needed[position] {
                self.positions(position).into_iter().for_each(|operand| needed[operand] = true);
            }
        }
        let chosen: Vec<usize> =
            self.order.iter().copied().filter(|&at| needed[at] && at != from).collect();
        // Where nothing lies between, the operation knows itself that its operands are one.
        if chosen.len() < 2 {
            return None;
        }
        let source = |operand: &Operand| match operand {
            Operand::Constant(id) => Some(Source::Constant(*id)),
            Operand::Register(register) => match self.position(*register)? {
                position if position == from => Some(Source::From),
                position => chosen.iter().position(|at| *at == position).map(Source::Node),
            },
        };
        let node = |position: usize| {
            let (result, place) = self.known[position];
            let place = place?;
            let act = &self.function.block(place.0).instructions[place.1].act;
            let sources = act.operands().iter().map(source).collect::<Option<Vec<_>>>()?;
            Some(Node { place, result, sources, library: self.library(act) })
        };
        let nodes = chosen.iter().map(|at| node(*at)).collect::<Option<Vec<_>>>()?;
        Some(Slice { from: register, nodes })
    }
}
