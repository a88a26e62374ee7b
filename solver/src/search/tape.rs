//! A query as a straight line of steps, run on many points at once, that ends
//! in the distance of each point to being a model.
//!
//! The distance counts ulps: of `a <= b`, how many lie between; of a
//! conjunction, the sum; of a disjunction, the least. It is 0 exactly where
//! the assertions hold. Steps are interpreted a batch of points at a time, so
//! that dispatching costs nothing beside the arithmetic, and there is no time
//! lost to compiling queries that live for milliseconds.

use super::kernels::{self, Kernel, LANES, Lanes, Recipe};
use crate::query::Query;
use nanoscope_ieee::{
    ConcreteDatum, Datum, Operation, ParameterKind, Parameters, Rounding, Word, evaluate_value,
};
use nanoscope_term::{Op, Sort, Term, Terms, Value, VariableId, op_heads};
use std::collections::BTreeMap;

/// A register's number.
pub(super) type Register = usize;

/// Larger queries would take more memory than a search is worth: a few
/// registers a term.
const MOST_TERMS: usize = 1 << 17;

/// The minimiser's lines of numbers count exponents in 32 bits, several of them added up.
const MOST_EXPONENT_BITS: u32 = 20;

/// A query made ready to run.
pub(super) struct Tape {
    registers: Vec<Lanes>,
    steps: Vec<Step>,
    /// The variables and where their values go.
    pub(super) variables: Vec<(VariableId, Register)>,
    values: BTreeMap<Term, Register>,
    /// Of truth values: the distances to true and to false.
    distances: BTreeMap<Term, [Register; 2]>,
    distance: Register,
}

enum Step {
    Kernel { kernel: Kernel, from: [Register; 3], known: u64, to: Register },
    General { operation: Operation, parameters: Parameters, from: Vec<Register>, to: Register },
}

impl Tape {
    /// The tape of a query; why there is none.
    pub(super) fn new(query: &Query) -> Result<Tape, String> {
        let mut tape = Tape {
            registers: vec![[0; LANES]],
            steps: Vec::new(),
            variables: Vec::new(),
            values: BTreeMap::new(),
            distances: BTreeMap::new(),
            distance: 0,
        };
        let below = query.terms.below(query.assertions);
        if below.len() > MOST_TERMS {
            return Err("too many terms to search".to_string());
        }
        for term in below {
            if width(query.terms.sort(term)).is_none_or(|width| width > 64) {
                return Err("search is for values of up to 64 bits".to_string());
            }
            tape.compile(query.terms, term)?;
        }
        let parts: Vec<Register> =
            query.assertions.iter().map(|term| tape.distances[term][0]).collect();
        tape.distance = tape.fold(kernels::sum(), &parts);
        tape.forget_the_useless();
        Ok(tape)
    }

    /// Where to put a variable's values, by its place among [`Tape::variables`].
    pub(super) fn input(&mut self, variable: usize) -> &mut Lanes {
        &mut self.registers[self.variables[variable].1]
    }

    /// Computes the distances.
    pub(super) fn run(&mut self) -> &Lanes {
        for step in &self.steps {
            match step {
                Step::Kernel { kernel, from, known, to } => {
                    // A step reads what earlier steps wrote.
                    let (before, rest) = self.registers.split_at_mut(*to);
                    kernel(from.map(|register| &before[register]), *known, &mut rest[0]);
                }
                Step::General { operation, parameters, from, to } => {
                    let (before, rest) = self.registers.split_at_mut(*to);
                    for lane in 0..LANES {
                        let words = from.iter().map(|&register| before[register][lane]);
                        rest[0][lane] = general(*operation, parameters, words);
                    }
                }
            }
        }
        &self.registers[self.distance]
    }

    /// All registers' values at one of the points.
    pub(super) fn column(&self, lane: usize) -> Vec<u64> {
        self.registers.iter().map(|register| register[lane]).collect()
    }

    /// The register of a term's value.
    pub(super) fn value(&self, term: Term) -> Option<Register> {
        self.values.get(&term).copied()
    }

    /// The register of a truth value's distance to `wanted`.
    pub(super) fn distance_to(&self, term: Term, wanted: bool) -> Option<Register> {
        self.distances.get(&term).map(|both| both[usize::from(!wanted)])
    }

    fn register(&mut self, value: u64) -> Register {
        self.registers.push([value; LANES]);
        self.registers.len() - 1
    }

    fn step(&mut self, kernel: Kernel, from: &[Register], known: u64) -> Register {
        let to = self.register(0);
        let mut three = [0; 3];
        three[..from.len()].copy_from_slice(from);
        self.steps.push(Step::Kernel { kernel, from: three, known, to });
        to
    }

    fn fold(&mut self, kernel: Kernel, parts: &[Register]) -> Register {
        match parts {
            [] => 0,
            [first, rest @ ..] => {
                rest.iter().fold(*first, |sum, part| self.step(kernel, &[sum, *part], 0))
            }
        }
    }

    fn compile(&mut self, terms: &Terms, term: Term) -> Result<(), String> {
        let args = terms.args(term);
        if terms.sort(term) == Sort::Bool {
            let distances = self.truth(terms, term)?;
            self.distances.insert(term, distances);
            if !self.values.contains_key(&term) {
                let value = self.step(kernels::reached(), &distances[..1], 0);
                self.values.insert(term, value);
            }
            return Ok(());
        }
        let from: Vec<Register> = args.iter().map(|arg| self.values[arg]).collect();
        let register = match terms.op(term) {
            Op::Value(_) => self.register(word(terms.value(term).expect("a value"))),
            Op::Variable(variable) => {
                let register = self.register(0);
                self.variables.push((variable, register));
                register
            }
            Op::Ite => self.step(kernels::choice(), &from, 0),
            Op::Bits(op) => {
                let argument = width(terms.sort(args[args.len() - 1])).unwrap_or(0);
                let known = kernels::bits_known(op, terms.width(term), argument);
                self.step(kernels::bits(op), &from, known)
            }
            Op::Float(operation, parameters) => {
                self.operation(terms, operation, &parameters, args, &from)
            }
            Op::Libm(function, format) => self.step(kernels::libm(function, format), &from, 0),
            Op::Equal | op_heads!(Connective) => unreachable!("a truth value"),
            op_heads!(Door) => {
                return Err("arrays and functions must be eliminated before".to_string());
            }
        };
        self.values.insert(term, register);
        Ok(())
    }

    /// An operation whose result is no truth value, or the value of one that
    /// has no better distance.
    fn operation(
        &mut self,
        terms: &Terms,
        operation: Operation,
        parameters: &Parameters,
        args: &[Term],
        from: &[Register],
    ) -> Register {
        let infinity = kernels::infinity(parameters.format);
        let nearest = args.first().and_then(|mode| terms.value(*mode))
            == Some(&Value::Rounding(Rounding::NearestEven));
        let operands = match operation.operands().first() {
            Some(nanoscope_ieee::Sort::Rounding) if nearest => Some(&from[1..]),
            Some(nanoscope_ieee::Sort::Rounding) => None,
            Some(_) | None => Some(from),
        };
        let kernel = match kernels::recipe(operation) {
            Recipe::Rounded(doubles, singles) => {
                machine(parameters.format, doubles, singles).map(|kernel| (kernel, 0))
            }
            Recipe::Exact(kernel) => Some((kernel, infinity)),
            Recipe::Convert => {
                kernels::conversion(parameters.format, parameters.target).map(|kernel| (kernel, 0))
            }
            Recipe::Order(..) | Recipe::Class(_) | Recipe::General => None,
        };
        match (kernel, operands) {
            (Some((kernel, known)), Some(operands)) => self.step(kernel, operands, known),
            (None, _) | (_, None) => {
                let to = self.register(0);
                let (parameters, from) = (*parameters, from.to_vec());
                self.steps.push(Step::General { operation, parameters, from, to });
                to
            }
        }
    }

    /// The distances of a truth value to true and to false.
    fn truth(&mut self, terms: &Terms, term: Term) -> Result<[Register; 2], String> {
        let args = terms.args(term);
        let of = |tape: &Tape, index: usize| tape.distances[&args[index]];
        Ok(match terms.op(term) {
            Op::Value(_) => {
                let value = terms.value(term) == Some(&Value::Bool(true));
                let far = self.register(1);
                if value { [0, far] } else { [far, 0] }
            }
            Op::Variable(variable) => {
                let value = self.register(0);
                self.variables.push((variable, value));
                self.values.insert(term, value);
                self.both_ways(value)
            }
            Op::Not => {
                let [to_true, to_false] = of(self, 0);
                [to_false, to_true]
            }
            Op::And | Op::Or => {
                let parts = |tape: &Tape, side: usize| -> Vec<Register> {
                    args.iter().map(|arg| tape.distances[arg][side]).collect()
                };
                let (all, any) = if terms.op(term) == Op::And { (0, 1) } else { (1, 0) };
                let (every, some) = (parts(self, all), parts(self, any));
                let mut both = [0; 2];
                both[all] = self.fold(kernels::sum(), &every);
                both[any] = self.fold(kernels::least(), &some);
                both
            }
            Op::Ite => {
                let (condition, then, otherwise) = (of(self, 0), of(self, 1), of(self, 2));
                [0, 1].map(|side| {
                    let first = self.step(kernels::sum(), &[condition[0], then[side]], 0);
                    let second = self.step(kernels::sum(), &[condition[1], otherwise[side]], 0);
                    self.step(kernels::least(), &[first, second], 0)
                })
            }
            Op::Equal => self.equality(terms, args),
            Op::Bits(op) => {
                let from: Vec<Register> = args.iter().map(|arg| self.values[arg]).collect();
                let known = u64::from(terms.width(args[0]));
                match (kernels::bits_order(op, true), kernels::bits_order(op, false)) {
                    (Some(to_true), Some(to_false)) => {
                        [to_true, to_false].map(|kernel| self.step(kernel, &from, known))
                    }
                    (None, _) | (_, None) => unreachable!("an order of bit strings"),
                }
            }
            Op::Float(operation, parameters) => {
                let mut from: Vec<Register> = args.iter().map(|arg| self.values[arg]).collect();
                let infinity = kernels::infinity(parameters.format);
                match kernels::recipe(operation) {
                    Recipe::Order(order, swapped) => {
                        if swapped {
                            from.swap(0, 1);
                        }
                        [true, false]
                            .map(|wanted| self.step(kernels::order(order, wanted), &from, infinity))
                    }
                    Recipe::Class(kernel) => {
                        let to_true = self.step(kernel, &from, infinity);
                        let to_false = self.step(kernels::reached(), &[to_true], 0);
                        [to_true, to_false]
                    }
                    Recipe::Rounded(..) | Recipe::Exact(_) | Recipe::Convert | Recipe::General => {
                        let value = self.operation(terms, operation, &parameters, args, &from);
                        self.values.insert(term, value);
                        self.both_ways(value)
                    }
                }
            }
            Op::Libm(..) => unreachable!("a float"),
            op_heads!(Door) => {
                return Err("arrays and functions must be eliminated before".to_string());
            }
        })
    }

    fn equality(&mut self, terms: &Terms, args: &[Term]) -> [Register; 2] {
        if terms.sort(args[0]) == Sort::Bool {
            let (a, b) = (self.distances[&args[0]], self.distances[&args[1]]);
            return [[0, 1], [1, 0]].map(|sides| {
                let first = self.step(kernels::sum(), &[a[0], b[sides[0]]], 0);
                let second = self.step(kernels::sum(), &[a[1], b[sides[1]]], 0);
                self.step(kernels::least(), &[first, second], 0)
            });
        }
        let from = [self.values[&args[0]], self.values[&args[1]]];
        let same = self.step(kernels::identical(), &from, 0);
        let to_true = match terms.sort(args[0]) {
            Sort::Float(format) => {
                self.step(kernels::same_float(), &from, kernels::infinity(format))
            }
            Sort::Bits(width) => self.step(kernels::same_bits(), &from, u64::from(width)),
            Sort::Bool | Sort::Rounding | Sort::Array(_) => {
                self.step(kernels::truth(true), &[same], 0)
            }
        };
        [to_true, same]
    }

    fn both_ways(&mut self, value: Register) -> [Register; 2] {
        [true, false].map(|wanted| self.step(kernels::truth(wanted), &[value], 0))
    }

    /// Drops steps that the distance does not depend on.
    fn forget_the_useless(&mut self) {
        let mut used = vec![false; self.registers.len()];
        used[self.distance] = true;
        for step in self.steps.iter().rev() {
            let (from, to) = match step {
                Step::Kernel { from, to, .. } => (from.as_slice(), *to),
                Step::General { from, to, .. } => (from.as_slice(), *to),
            };
            if used[to] {
                from.iter().for_each(|register| used[*register] = true);
            }
        }
        self.steps.retain(|step| match step {
            Step::Kernel { to, .. } | Step::General { to, .. } => used[*to],
        });
        self.values.retain(|_, register| used[*register]);
        self.distances.retain(|_, both| used[both[0]] || used[both[1]]);
    }
}

fn machine(format: nanoscope_ieee::Format, doubles: Kernel, singles: Kernel) -> Option<Kernel> {
    if format == nanoscope_ieee::Format::BINARY64 {
        Some(doubles)
    } else if format == nanoscope_ieee::Format::BINARY32 {
        Some(singles)
    } else {
        None
    }
}

/// How many bits a value of a sort takes in a register; none for sorts that are not searched.
pub(super) fn width(sort: Sort) -> Option<u32> {
    match sort {
        Sort::Bool => Some(1),
        Sort::Bits(width) => Some(width),
        Sort::Float(format) if format.exponent_bits > MOST_EXPONENT_BITS => None,
        Sort::Float(format) => Some(format.width()),
        Sort::Rounding => Some(3),
        Sort::Array(_) => None,
    }
}

/// A value as a register holds it.
pub(super) fn word(value: &Value) -> u64 {
    match value {
        Value::Bool(value) => u64::from(*value),
        Value::Bits(word) | Value::Float(_, word) => word.low_u64(),
        Value::Rounding(mode) => *mode as u64,
        Value::Array(_) => unreachable!("arrays are eliminated before"),
    }
}

/// The value that a register holds.
pub(super) fn value(sort: Sort, word: u64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(word != 0),
        Sort::Bits(width) => Value::bits(width, word.into()),
        Sort::Float(format) => Value::float(format, Word::new(format.width(), word.into())),
        Sort::Rounding => Value::Rounding(rounding(word)),
        Sort::Array(_) => unreachable!("arrays are eliminated before"),
    }
}

fn rounding(word: u64) -> Rounding {
    Rounding::ALL[(word as usize).min(Rounding::ALL.len() - 1)]
}

/// An operation by the general semantics.
fn general(operation: Operation, parameters: &Parameters, words: impl Iterator<Item = u64>) -> u64 {
    let wide = operation.parameters().contains(&ParameterKind::Width);
    let operands: Vec<ConcreteDatum> = operation
        .operands()
        .iter()
        .zip(words)
        .map(|(sort, word)| match sort {
            nanoscope_ieee::Sort::Float => {
                Datum::Float(Word::new(parameters.format.width(), word.into()))
            }
            nanoscope_ieee::Sort::Rounding => Datum::Rounding(rounding(word).into()),
            nanoscope_ieee::Sort::Bits => {
                let width = if wide { parameters.width } else { parameters.format.width() };
                Datum::Bits(Word::new(width, word.into()))
            }
            nanoscope_ieee::Sort::Bool => Datum::Bool(word != 0),
        })
        .collect();
    let result = evaluate_value(operation, parameters, &operands).expect("well-sorted operands");
    match result {
        Datum::Float(word) => {
            let format = if operation.parameters().contains(&ParameterKind::Target) {
                parameters.target
            } else {
                parameters.format
            };
            match Value::float(format, word) {
                Value::Float(_, word) => word.low_u64(),
                Value::Bool(_) | Value::Bits(_) | Value::Rounding(_) | Value::Array(_) => {
                    unreachable!("a float")
                }
            }
        }
        Datum::Bits(word) | Datum::Rounding(word) => word.low_u64(),
        Datum::Bool(value) => u64::from(value),
    }
}

#[cfg(test)]
#[path = "../../tests/random_query/mod.rs"]
mod random_query;

#[cfg(test)]
mod tests {
    use super::random_query::{Planted, Shape};
    use super::*;
    use crate::search::Random;
    use nanoscope_term::{Model, holds};

    /// The distance is 0 exactly where the evaluator says that all holds.
    fn check(shape: Shape, seed: u64) {
        let Planted { terms, assertions, model } = Planted::new(shape, seed);
        let query = Query { terms: &terms, assertions: &assertions, memory: None };
        let mut tape = Tape::new(&query).expect("narrow sorts");
        let mut random = Random::new(seed);
        let sorts: Vec<(VariableId, Sort)> = tape
            .variables
            .iter()
            .map(|(variable, _)| (*variable, terms.variable_sort(*variable)))
            .collect();
        // The planted point first, then points near it and anywhere.
        for (place, (variable, sort)) in sorts.iter().enumerate() {
            let planted = word(&model.get(&terms, *variable));
            let bits = width(*sort).expect("narrow");
            for (lane, input) in tape.input(place).iter_mut().enumerate() {
                let drawn = match lane % 3 {
                    0 => planted,
                    1 => planted.wrapping_add(random.next() % 8),
                    _ => random.next(),
                } & (u64::MAX >> (64 - bits));
                // As engines give them: one NaN, five modes.
                *input = if lane == 0 { planted } else { word(&value(*sort, drawn)) };
            }
        }
        let distances = *tape.run();
        for (lane, distance) in distances.iter().enumerate() {
            let column = tape.column(lane);
            let mut point = Model::new();
            for ((variable, sort), (_, register)) in sorts.iter().zip(&tape.variables) {
                point.set(*variable, value(*sort, column[*register]));
            }
            let text = || nanoscope_term::smtlib::script_text(&terms, &assertions);
            assert_eq!(
                *distance == 0,
                holds(&terms, &point, &assertions),
                "{shape:?} {seed}, lane {lane}: distance {distance} at {point:?} of\n{}",
                text()
            );
        }
        assert_eq!(distances[0], 0);
    }

    #[test]
    fn zero_is_where_it_holds() {
        for shape in [Shape::Tiny, Shape::Single, Shape::Double, Shape::Mixed] {
            (0..150).for_each(|seed| check(shape, seed));
        }
    }
}
