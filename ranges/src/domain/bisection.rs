//! Bisection: values that depend on one register in several ways, such as
//! `t * (3 - 5 * t * t)` and `sqrt(z * z - 1) - acos(1 / z)`.
//!
//! The slice between such a register and the value is run on parts of the register's range. The
//! parts that attain the value's bounds are bisected. Any partition gives sound bounds;
//! samples at the ends of a part only decide which one to bisect.

use crate::arithmetic::{Modes, Order};
use crate::domain::value_numbers::ValueNumbers;
use crate::domain::values;
use crate::exceptions::{Exceptions, Outcome};
use crate::floats::{Floats, Span};
use crate::function::definitions::{ByRegister, Definitions, Place};
use crate::grid::{self, Ordinal};
use crate::libm;
use crate::policy::{
    BISECTION_SHARE, FIRST_BISECTION_STEPS, FIRST_BISECTIONS, LARGEST_SLICE, MOST_BISECTIONS,
    MOST_VAIN_BISECTIONS,
};
use crate::value::Value;
use nanoscope_ieee::{Format, Operation};
use nanoscope_program::ir::{
    Act, Callee, Code, ConstantId, Function, FunctionId, Operand, Register, Type,
};
use std::cell::Cell;
use std::collections::HashMap;

/// The instructions that compute a value from one register.
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
    place: Place,
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

/// Slices that were bisected, and their outcomes.
#[derive(Default)]
pub struct Bisections {
    outcomes: HashMap<(FunctionId, Register, Floats), Outcome>,
    /// Times in a row that a slice was bisected in vain.
    vain: HashMap<(FunctionId, Register), u32>,
    acts: u64,
}

/// The slices of a function, by the register that they compute.
pub fn slices(
    code: &Code,
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
) -> ByRegister<Slice> {
    let graph =
        Graph { code, function, definitions, numbers, known: Vec::new(), order: Vec::new() };
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
                && let Some(slice) = graph.of(result).slice()
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
    /// Registers and the acts that define them, the nearest first; one of each value number.
    known: Vec<(Register, Option<Place>)>,
    /// Positions in that list in topological order, operands first.
    order: Vec<usize>,
}

impl<'a> Graph<'a> {
    fn of(&self, value: Register) -> Graph<'a> {
        let mut graph = Graph { known: Vec::new(), order: Vec::new(), ..*self };
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

/// A part of the register's range.
struct Part {
    lo: Ordinal,
    hi: Ordinal,
    outcome: Outcome,
    /// The outcomes at its ends.
    ends: [Outcome; 2],
}

/// What parts are bisected for.
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
    /// The number of instructions run.
    pub acts: Cell<u64>,
}

impl Run<'_> {
    /// The outcome for some values of the register.
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
                    let computed = values::evaluate(Modes::Nearest, act, &given, ty, order)?;
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

    /// The outcome for a range, by bisection.
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
        for turn in 0..MOST_BISECTIONS {
            if aims.is_empty() {
                break;
            }
            if turn == FIRST_BISECTIONS {
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

/// The join of outcomes.
fn either(format: Format, outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let nothing = Outcome { result: Floats::nothing(format), raised: Exceptions::NONE };
    outcomes.fold(nothing, |all, one| Outcome {
        result: all.result.join(&one.result),
        raised: all.raised.union(one.raised),
    })
}

/// Bounds within a quarter of a binade count as equal.
const NEAR: u32 = 2;

impl Part {
    /// How much bisecting this part may gain.
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

    /// Whether the ends attain the outcome of the part.
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

impl Bisections {
    /// Sharpens the result and the exceptions of a slice's value.
    pub fn sharpen(
        &mut self,
        id: FunctionId,
        result: Register,
        run: &Run,
        from: &Value,
        computed: &mut values::Computed,
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
        let vain = self.vain.entry((id, result)).or_default();
        if !loose || *vain >= MOST_VAIN_BISECTIONS || from.single_place().is_some() {
            return;
        }
        let key = (id, result, from);
        let outcome = match self.outcomes.get(&key) {
            Some(outcome) => *outcome,
            None if self.acts > FIRST_BISECTION_STEPS + (steps as f64 * BISECTION_SHARE) as u64 => {
                return;
            }
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
        *vain = if better { 0 } else { *vain + 1 };
        computed.value = Value::float(value);
        computed.raised = raised;
    }
}

/// Whether a value says noticeably more than another.
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
