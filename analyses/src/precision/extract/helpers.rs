//! Helpers: functions of numbers alone that are called often become functions of the graph, and
//! are run on symbols once.
//!
//! The first calls of a function are taken apart, which says the most. Beyond these it is run by a
//! machine of its own, with parameters in the place of numbers. What it needs of its caller is
//! nothing but its arguments: that machine has no memory of the caller's, and variables of the
//! program are not to be touched.

use super::{Branches, Extraction, STEPS, Symbolic};
use crate::shadow::{At, Interpreter, ShadowValue, ValueOf};
use nanoscope_budget::Budget;
use nanoscope_errors::{Graph, Input, InputError, NodeId, PARAMETERS, Precision};
use nanoscope_program::ir::{Code, Function, FunctionId, Type};
use std::collections::{BTreeSet, HashMap};

/// Calls of a function that are taken apart.
const APART: u32 = 64;

/// A function of fewer operations is always taken apart.
const SMALL: usize = 8;

/// How deep machines run functions for one another.
const NESTED: u32 = 3;

/// Integers from here on may be addresses.
const ADDRESSES: u128 = 1 << 40;

/// What becomes of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Every call is taken apart.
    Apart,
    /// Functions that are called often become functions of the graph.
    Summarised,
}

/// What is known of a program's functions.
#[derive(Default)]
pub(super) struct Helpers {
    counts: HashMap<u32, u32>,
    /// By the function and the integers it is called with; none: calls are taken apart.
    known: HashMap<(u32, Vec<Option<u128>>), Option<Helper>>,
    /// Sites in functions of the graph.
    pub inside: BTreeSet<usize>,
    /// How many machines run functions for one another.
    depth: u32,
}

/// A function of the graph, and whether it returns several numbers.
#[derive(Clone, Copy)]
struct Helper {
    function: u16,
    several: bool,
}

/// The arguments of a call: numbers, and the integers at the other places.
type Given = (Vec<NodeId>, Vec<Option<u128>>);

impl<'s> Extraction<'s> {
    /// What a call gives, where its function is one of the graph.
    pub(super) fn call_of_helper(
        &mut self,
        code: &Code,
        id: FunctionId,
        arguments: &[ValueOf<Self>],
        budget: &Budget,
    ) -> Option<ValueOf<Self>> {
        if self.calls == Calls::Apart || self.helpers.depth >= NESTED {
            return None;
        }
        let count = self.helpers.counts.entry(id.0).or_insert(0);
        *count += 1;
        if *count <= APART {
            return None;
        }
        let function = code.function(id);
        let (numbers, integers) = given(function, arguments)?;
        let key = (id.0, integers);
        if !self.helpers.known.contains_key(&key) {
            let made = self.summarised(code, id, &key.1, budget);
            self.helpers.known.insert(key.clone(), made);
        }
        let Helper { function: called, several } = (*self.helpers.known.get(&key)?)?;
        let at = At { function: id.0, location: function.location, ..At::default() };
        let tag = self.tag(at);
        let results = self.graph.call(called, &numbers, tag);
        let mut results = results.into_iter().map(|node| ShadowValue::Number(Symbolic::Node(node)));
        match several {
            true => Some(ShadowValue::Parts(results.collect())),
            false => results.next(),
        }
    }

    /// Runs a function on symbols, and makes it one of the graph if that is possible.
    fn summarised(
        &mut self,
        code: &Code,
        id: FunctionId,
        integers: &[Option<u128>],
        budget: &Budget,
    ) -> Option<Helper> {
        let mut inner = Extraction::empty(self.sites, Branches::Joined, self.rounds, self.mode);
        inner.calls = self.calls;
        inner.helpers.depth = self.helpers.depth + 1;
        let mut values = Vec::with_capacity(integers.len());
        for (parameter, integer) in code.function(id).parameters.iter().zip(integers) {
            values.push(match (integer, &parameter.ty) {
                (Some(bits), _) => ShadowValue::Bits(*bits),
                (None, Type::Float(format)) => {
                    let input = Input {
                        name: String::new(),
                        low: None,
                        high: None,
                        integer: false,
                        error: InputError::None,
                    };
                    let node = inner.graph.input(input, Precision::nearest(*format), 0);
                    ShadowValue::Number(Symbolic::Node(node))
                }
                (None, _) => return None,
            });
        }
        let mut machine = Interpreter::new(code, inner, STEPS, budget);
        let result = machine.call_alone(id, &values).ok()??;
        let inner = machine.domain;
        let stable = inner.made == 0 && inner.taken_for_numbers.is_empty();
        let several = matches!(result, ShadowValue::Parts(_));
        let outputs: Option<Vec<NodeId>> = result
            .parts()
            .iter()
            .map(|part| match part {
                ShadowValue::Number(Symbolic::Node(node)) => Some(*node),
                ShadowValue::Number(Symbolic::Special(..))
                | ShadowValue::Bits(_)
                | ShadowValue::Coded(..)
                | ShadowValue::Symbol(_)
                | ShadowValue::Parts(_) => None,
            })
            .collect();
        let outputs = outputs.filter(|_| stable)?;
        let body: Graph = inner.graph;
        if body.cone(outputs.iter().copied()).len() < SMALL + body.inputs().len() {
            return None;
        }
        let function = self.graph.function(body, outputs)?;
        let inside = &mut self.helpers.inside;
        inside.extend(inner.site_nodes.into_keys().chain(inner.decided.into_keys()));
        inside.extend(inner.helpers.inside);
        Some(Helper { function, several })
    }
}

/// The arguments of a call; none where one is neither a number nor a known integer.
fn given(function: &Function, arguments: &[ValueOf<Extraction<'_>>]) -> Option<Given> {
    if function.parameters.len() != arguments.len() {
        return None;
    }
    let (mut numbers, mut integers) = (Vec::new(), Vec::new());
    for (parameter, argument) in function.parameters.iter().zip(arguments) {
        match (&parameter.ty, argument) {
            (Type::Float(_), ShadowValue::Number(Symbolic::Node(node))) => {
                numbers.push(*node);
                integers.push(None);
            }
            (Type::Integer(_), ShadowValue::Bits(bits)) if *bits < ADDRESSES => {
                integers.push(Some(*bits));
            }
            (_, _) => return None,
        }
    }
    (!numbers.is_empty() && numbers.len() <= PARAMETERS).then_some((numbers, integers))
}
