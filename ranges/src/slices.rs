//! Values that come from one register on several ways: `t * (3 - 5 * t * t)`,
//! `sqrt(z * z - 1) - acos(1 / z)`.
//!
//! Ranges alone forget that the operands go together, and where they are not linear in
//! anything, linear forms (`linear.rs`) do too. Here what lies between such a register and the
//! value is run on parts of the register's range, smaller ones where the bounds of the value
//! come from. Any choice of parts gives a true bound; samples only tell which part to cut.

use crate::arithmetic::{Modes, Order};
use crate::evaluate;
use crate::exceptions::{Exceptions, Outcome};
use crate::floats::{Floats, Span};
use crate::grid::{self, Ordinal};
use crate::libm;
use crate::shape::{ByRegister, Shape, operands};
use crate::value::Value;
use nanoscope_ieee::{Format, Operation};
use nanoscope_program::ir::{
    Act, BlockId, Callee, Code, ConstantId, Function, FunctionId, Operand, Register, Type,
};
use std::cell::Cell;
use std::collections::HashMap;

/// The most acts between a register and a value that comes from it.
const MOST_NODES: usize = 24;

/// How often a range is cut, and after how many cuts something must have come of it.
const MOST_CUTS: usize = 120;
const FIRST_CUTS: usize = 24;

/// How often in a row a value is tried that stays as it was.
const MOST_IDLE: u32 = 6;

/// What computes a value from one register.
#[derive(Debug)]
pub struct Slice {
    /// The register.
    pub from: Register,
    /// Acts in order; the last gives the value.
    nodes: Vec<Node>,
}

/// An act of a slice.
#[derive(Debug)]
struct Node {
    place: (BlockId, usize),
    result: Register,
    sources: Vec<Source>,
    /// The function of the mathematical library that it calls.
    library: Option<&'static str>,
}

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
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

/// How many acts of slices are run at first, and how many for each step taken besides.
const FIRST_ACTS: u64 = 200_000;
const MORE_ACTS: f64 = 0.5;

/// What is known of slices.
#[derive(Default)]
pub struct Slices {
    outcomes: HashMap<(FunctionId, Register, Floats), Outcome>,
    idle: HashMap<(FunctionId, Register), u32>,
    acts: u64,
}

/// The slices of a function, by the register that they end in.
pub fn of_function(code: &Code, function: &Function, shape: &Shape) -> ByRegister<Slice> {
    let mut found = ByRegister::of(function);
    for block in &function.blocks {
        for instruction in &block.instructions {
            if let Act::Float { operation, relaxed: false, .. } = &instruction.act
                && matches!(
                    operation,
                    Operation::Add | Operation::Sub | Operation::Mul | Operation::Div
                )
                && let Some(result) = instruction.result
                && is_float(function, result)
                && let Some(slice) = Graph::of(code, function, shape, result).slice()
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

/// What a value comes from.
struct Graph<'a> {
    code: &'a Code,
    function: &'a Function,
    shape: &'a Shape,
    /// Registers and the acts that give them, the nearest first; of those that are computed
    /// alike, one.
    known: Vec<(Register, Option<(BlockId, usize)>)>,
    /// Positions in that list; what a value comes from stands before it.
    order: Vec<usize>,
}

impl<'a> Graph<'a> {
    fn of(code: &'a Code, function: &'a Function, shape: &'a Shape, value: Register) -> Graph<'a> {
        let mut graph = Graph { code, function, shape, known: Vec::new(), order: Vec::new() };
        graph.known.push((value, graph.act(value)));
        let mut next = 0;
        while next < graph.known.len() {
            for register in graph.operands(next) {
                if graph.position(register).is_none() {
                    let act = (next < MOST_NODES).then(|| graph.act(register)).flatten();
                    graph.known.push((register, act));
                }
            }
            next += 1;
        }
        graph.sort(0);
        graph
    }

    fn position(&self, register: Register) -> Option<usize> {
        let number = self.shape.number(register);
        self.known.iter().position(|(known, _)| self.shape.number(*known) == number)
    }

    /// The act that gives a register, if a slice can run it.
    fn act(&self, register: Register) -> Option<(BlockId, usize)> {
        let place = *self.shape.definitions.get(&register)?;
        let act = &self.function.block(place.0).instructions[place.1].act;
        let runs = match act {
            Act::Float { operation, relaxed: false, .. } => matches!(
                operation,
                Operation::Add
                    | Operation::Sub
                    | Operation::Mul
                    | Operation::Div
                    | Operation::Sqrt
                    | Operation::Neg
                    | Operation::Abs
            ),
            Act::Call { .. } => self.library(act).is_some(),
            // Any other act begins a slice at best.
            _ => false,
        };
        (runs && is_float(self.function, register)).then_some(place)
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
        let list = operands(&self.function.block(block).instructions[at].act);
        let register = |operand: &Operand| match operand {
            Operand::Register(register) => Some(*register),
            Operand::Constant(_) => None,
        };
        list.iter().filter_map(register).collect()
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

    /// What lies between the value and the nearest register that all ways to it lead through,
    /// if several do.
    fn slice(&self) -> Option<Slice> {
        // Ways from each register on to whatever there is no act for, and from the value to it.
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
            let sources = operands(act).iter().map(source).collect::<Option<Vec<_>>>()?;
            Some(Node { place, result, sources, library: self.library(act) })
        };
        let nodes = chosen.iter().map(|at| node(*at)).collect::<Option<Vec<_>>>()?;
        Some(Slice { from: register, nodes })
    }
}

/// A part of the range that a slice is run on.
struct Part {
    lo: Ordinal,
    hi: Ordinal,
    outcome: Outcome,
    /// What its ends give.
    ends: [Outcome; 2],
}

/// A bound that parts are cut for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    Exceptions,
    Least,
    Greatest,
    Smallest,
}

/// Runs a slice.
pub struct Run<'a> {
    pub function: &'a Function,
    pub slice: &'a Slice,
    pub constants: &'a [Value],
    /// How many acts were run.
    pub acts: Cell<u64>,
}

impl Run<'_> {
    /// What numbers that the slice begins with give.
    fn on(&self, from: Floats) -> Option<Outcome> {
        self.acts.set(self.acts.get() + self.slice.nodes.len() as u64);
        let from = Value::float(from);
        let mut values: Vec<Value> = Vec::with_capacity(self.slice.nodes.len());
        let mut raised = Exceptions::NONE;
        for node in &self.slice.nodes {
            let value = |source: &Source| match source {
                Source::From => &from,
                Source::Node(at) => &values[*at],
                Source::Constant(id) => &self.constants[id.0 as usize],
            };
            let given: Vec<&Value> = node.sources.iter().map(value).collect();
            let ty = &self.function.registers[node.result.0 as usize];
            let value = match node.library {
                Some(name) => {
                    let format = Format::BINARY64;
                    let floats: Vec<Floats> = given.iter().map(|v| v.floats(format)).collect();
                    let outcome = libm::apply(Modes::Nearest, name, format, &floats)?;
                    Value::float(outcome.result)
                }
                None => {
                    let same = matches!(node.sources[..], [a, b] if a == b);
                    let order = Order { same, ..Order::default() };
                    let act = &self.function.block(node.place.0).instructions[node.place.1].act;
                    let computed = evaluate::evaluate(Modes::Nearest, act, &given, ty, order)?;
                    raised = computed.raised;
                    computed.value
                }
            };
            values.push(value);
        }
        match values.pop()? {
            Value::Float(floats) => Some(Outcome { result: floats.get(), raised }),
            Value::Anything
            | Value::Zeros
            | Value::Integer(_)
            | Value::Pointer(_)
            | Value::Parts(_) => None,
        }
    }

    fn part(
        &self,
        format: Format,
        lo: Ordinal,
        hi: Ordinal,
        ends: [Option<Outcome>; 2],
    ) -> Option<Part> {
        let at = |place| self.on(Floats::between(format, place, place));
        let [first, last] = ends;
        let first = first.or_else(|| at(lo))?;
        let last = last.or_else(|| at(hi))?;
        let outcome = self.on(Floats::between(format, lo, hi))?;
        Some(Part { lo, hi, outcome, ends: [first, last] })
    }

    /// What a range gives, in parts.
    fn in_parts(&self, from: &Floats) -> Option<Outcome> {
        let format = from.format;
        let mut special = Vec::new();
        if from.nan {
            special.push(self.on(Floats::only_nan(format))?);
        }
        for (lo, hi) in from.infinite_part().pieces() {
            special.push(self.on(Floats::between(format, lo, hi))?);
        }
        let mut parts = Vec::new();
        for (lo, hi) in from.finite_part().pieces() {
            parts.push(self.part(format, lo, hi, [None, None])?);
        }
        let of_parts = |parts: &[Part]| either(format, parts.iter().map(|part| part.outcome));
        let first = of_parts(&parts);
        let mut aims = vec![Aim::Exceptions, Aim::Least, Aim::Greatest, Aim::Smallest];
        for turn in 0..MOST_CUTS {
            if aims.is_empty() {
                break;
            }
            if turn == FIRST_CUTS {
                let now = of_parts(&parts);
                if now.raised == first.raised && !is_better(&now.result, &first.result) {
                    break;
                }
            }
            let aim = aims[turn % aims.len()];
            let worst = parts.iter().enumerate().max_by_key(|(_, part)| part.rank(aim));
            match worst {
                Some((at, part)) if !part.is_tight(aim) => {
                    let Part { lo, hi, ends, .. } = parts.swap_remove(at);
                    let middle = lo.midpoint(hi);
                    let left = self.part(format, lo, middle, [Some(ends[0]), None])?;
                    let between = left.ends[1];
                    let right =
                        self.part(format, middle + 1, hi, [Some(between), Some(ends[1])])?;
                    parts.extend([left, right]);
                }
                Some(_) | None => aims.retain(|other| *other != aim),
            }
        }
        special.push(of_parts(&parts));
        Some(either(format, special.into_iter()))
    }
}

/// What any of several may give and raise.
fn either(format: Format, outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let nothing = Outcome { result: Floats::nothing(format), raised: Exceptions::NONE };
    outcomes.fold(nothing, |all, one| Outcome {
        result: all.result.join(&one.result),
        raised: all.raised.union(one.raised),
    })
}

/// Bounds nearer to each other are as good as equal: a quarter of a binade.
const NEAR: u32 = 2;

impl Part {
    /// How much is to be gained for an aim from cutting this part: the more the greater.
    fn rank(&self, aim: Aim) -> Ordinal {
        let numbers = self.outcome.result.bounds();
        match aim {
            Aim::Exceptions => {
                let wrong = self.outcome.raised != Exceptions::NONE || self.outcome.result.nan;
                if wrong && !self.is_tight(aim) { self.hi - self.lo } else { -1 }
            }
            Aim::Least => numbers.map_or(Ordinal::MIN, |(lo, _)| -lo),
            Aim::Greatest => numbers.map_or(Ordinal::MIN, |(_, hi)| hi),
            Aim::Smallest => -smallest(&self.outcome.result),
        }
    }

    /// Whether the ends show that the part gives what it seems to.
    fn is_tight(&self, aim: Aim) -> bool {
        let [first, last] = &self.ends;
        if self.lo == self.hi {
            return true;
        }
        let ends = first.result.join(&last.result);
        let (Some((lo, hi)), Some((least, greatest))) =
            (self.outcome.result.bounds(), ends.bounds())
        else {
            return true;
        };
        let near = Ordinal::from(1) << (self.outcome.result.format.fraction_bits() - NEAR);
        match aim {
            Aim::Exceptions => {
                let raised = first.raised.union(last.raised);
                raised == self.outcome.raised && ends.nan == self.outcome.result.nan
            }
            Aim::Least => least - lo <= near,
            Aim::Greatest => hi - greatest <= near,
            Aim::Smallest => {
                let crosses = !ends.positive.is_empty() && !ends.negative.is_empty();
                crosses || smallest(&ends) - smallest(&self.outcome.result) <= near
            }
        }
    }
}

/// The least magnitude.
fn smallest(floats: &Floats) -> Ordinal {
    if floats.has_zero() { 0 } else { floats.magnitudes().positive.lo }
}

impl Slices {
    /// Takes from what an act gives and raises what parts of the slice exclude.
    pub fn sharpen(
        &mut self,
        id: FunctionId,
        result: Register,
        run: &Run,
        from: &Value,
        computed: &mut evaluate::Computed,
        steps: u64,
    ) {
        let (Value::Float(from), Value::Float(given)) = (from, &computed.value) else { return };
        let (from, given) = (from.get(), given.get());
        let both = !given.positive.is_empty() && !given.negative.is_empty();
        let loose = computed.raised != Exceptions::NONE
            || both
            || given.has_zero()
            || given.has_infinity()
            || given.nan;
        let idle = self.idle.entry((id, result)).or_default();
        if !loose || *idle >= MOST_IDLE || from.single_place().is_some() {
            return;
        }
        let key = (id, result, from);
        let outcome = match self.outcomes.get(&key) {
            Some(outcome) => *outcome,
            None if self.acts > FIRST_ACTS + (steps as f64 * MORE_ACTS) as u64 => return,
            None => {
                let everything =
                    Outcome { result: Floats::everything(given.format), raised: Exceptions::ALL };
                let outcome = run.in_parts(&from).unwrap_or(everything);
                self.acts += run.acts.get();
                self.outcomes.insert(key, outcome);
                outcome
            }
        };
        let value = given.meet(&outcome.result);
        let raised = computed.raised.meet(outcome.raised);
        let better = raised != computed.raised || is_better(&value, &given);
        *idle = if better { 0 } else { *idle + 1 };
        computed.value = Value::float(value);
        computed.raised = raised;
    }
}

/// Whether one tells what the other does not.
fn is_better(value: &Floats, given: &Floats) -> bool {
    let binade = grid::min_normal(given.format);
    let tells = |mine: Span, theirs: Span| {
        mine.is_empty() != theirs.is_empty()
            || (!mine.is_empty() && theirs.hi - mine.hi > binade)
            || (!mine.is_empty() && mine.lo - theirs.lo > binade)
    };
    tells(value.positive, given.positive)
        || tells(value.negative, given.negative)
        || value.has_zero() != given.has_zero()
        || value.has_infinity() != given.has_infinity()
        || value.nan != given.nan
}
