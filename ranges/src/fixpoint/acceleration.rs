//! Acceleration of loops that are linear recurrences: bounds of their registers that iteration with
//! widening does not find.
//!
//! All states at the head of a loop are included in the fixpoint that iteration has found. If,
//! with some registers taken to be in a box, one round from there is a linear recurrence whose
//! states stay in that box, they do: by induction on the number of rounds.

use crate::domain::linear_form::{Bounds, finite, floats_within};
use crate::domain::recurrences::{self, Reach, Recurrences, System};
use crate::domain::state::State;
use crate::fixpoint::interpreter::{Frame, Interpreter};
use crate::fixpoint::invariant::Invariant;
use crate::fixpoint::order::Loop;
use crate::policy::{ACCELERATION_ATTEMPTS, FAILURE_COST, MOST_VAIN_ACCELERATIONS, MOST_VARIABLES};
use crate::value::Value;
use nanoscope_program::ir::{
    Act, Constant, Edge, Function, IntegerOperation, Operand, Register, Type,
};
use std::rc::Rc;

impl<'c> Interpreter<'c> {
    /// An invariant of a loop that is entered with a state, if it is a linear recurrence whose
    /// registers iteration does not bound; else one that says nothing.
    pub fn accelerate(
        &mut self,
        frame: &mut Frame<'c>,
        inner: &Loop,
        members: &Rc<[bool]>,
        entry: &Rc<State>,
    ) -> Invariant {
        let key = (frame.id, inner.head);
        let vain = self.vain_accelerations.get(&key).copied().unwrap_or(0);
        let is_finite = |register: &Register| {
            entry.environment.get(*register).is_some_and(|value| finite(value).is_some())
        };
        if !self.domains.recurrences || vain >= MOST_VAIN_ACCELERATIONS {
            return Invariant::default();
        }
        let candidates: Vec<Register> = recurrences::variables(frame.function, inner.head)
            .into_iter()
            .filter(|register| is_finite(register))
            .collect();
        let definitions = &frame.facts.definitions;
        if candidates.len() > MOST_VARIABLES
            || !recurrences::may_recur(frame.function, definitions, inner.head, &candidates)
        {
            self.vain_accelerations.insert(key, MOST_VAIN_ACCELERATIONS);
            return Invariant::default();
        }
        let recording = std::mem::replace(&mut self.recording, false);
        let fixpoint = self.fixpoint(frame, inner, members, entry, &Invariant::default());
        let unbounded = |register: &Register| match fixpoint.environment.get(*register) {
            Some(value @ Value::Float(_)) => finite(value).is_none(),
            Some(_) | None => false,
        };
        // A loop that iteration bounds may still need it in another context.
        let (found, cost) = match self.stopped.is_none() && candidates.iter().any(unbounded) {
            true => {
                (self.invariant(frame, inner, members, entry, &fixpoint, candidates), FAILURE_COST)
            }
            false => (None, 1),
        };
        self.recording = recording;
        let vain = if found.is_some() { 0 } else { vain + cost };
        self.vain_accelerations.insert(key, vain);
        found.unwrap_or_default()
    }

    /// Looks for a box that a linear recurrence does not leave.
    fn invariant(
        &mut self,
        frame: &mut Frame<'c>,
        inner: &Loop,
        members: &Rc<[bool]>,
        entry: &State,
        fixpoint: &State,
        mut variables: Vec<Register>,
    ) -> Option<Invariant> {
        let rounds = self.most_rounds(frame, inner, entry, fixpoint);
        let mut assumed = self.bounds(entry, &variables)?;
        for attempt in 0..ACCELERATION_ATTEMPTS {
            let mut state = fixpoint.clone();
            for (register, value) in values(frame.function, &variables, &assumed) {
                state.environment.set(register, value);
            }
            state.domains.recurrences = Recurrences::follow_from(inner.head);
            let outside = (frame.pending.clone(), frame.returned.clone());
            let (back, _) = self.round(frame, inner, members, Rc::new(state));
            (frame.pending, frame.returned) = outside;
            if self.stopped.is_some() {
                return None;
            }
            let system = back?.domains.recurrences.system(&variables)?;
            let is_whole = system.variables == variables;
            if !is_whole && attempt > 0 {
                return None;
            }
            variables.clone_from(&system.variables);
            let entry = self.bounds(entry, &variables)?;
            if !is_whole {
                assumed.clone_from(&entry);
            }
            let reach = Reach { entry: &entry, assumed: &assumed, rounds };
            let reached = system.reach(&reach);
            if !reached.iter().all(|bounds| bounds.is_finite()) {
                return None;
            }
            if is_whole && assumed.iter().zip(&reached).all(|(a, b)| a.includes(*b)) {
                let differences = differences(&system, &reach, &reached);
                let values = values(frame.function, &variables, &reached);
                return Some(Invariant { values, differences });
            }
            assumed = padded(&reached);
        }
        None
    }

    fn bounds(&self, state: &State, variables: &[Register]) -> Option<Vec<Bounds>> {
        variables.iter().map(|variable| finite(state.environment.get(*variable)?)).collect()
    }

    /// The most rounds that a loop with a counter takes.
    fn most_rounds(
        &self,
        frame: &Frame<'c>,
        inner: &Loop,
        entry: &State,
        fixpoint: &State,
    ) -> Option<u64> {
        let function = frame.function;
        let back: Vec<&Edge> = function
            .blocks
            .iter()
            .enumerate()
            .filter(|(at, _)| inner.members[*at])
            .flat_map(|(_, block)| block.end.edges())
            .filter(|edge| edge.to == inner.head)
            .collect();
        let first = back.first()?;
        first
            .moves
            .iter()
            .filter_map(|(counter, _)| {
                let bits = match function.registers[counter.0 as usize] {
                    Type::Integer(bits @ 2..=64) => bits,
                    _ => return None,
                };
                let step = |edge: &&Edge| {
                    let (_, from) = edge.moves.iter().find(|(to, _)| to == counter)?;
                    let act = frame.facts.definitions.act(function, from.register()?)?;
                    self.increment(act, *counter)
                };
                let steps: Option<Vec<i128>> = back.iter().map(step).collect();
                let steps = steps?;
                let step = *steps.first()?;
                let all = fixpoint.environment.get(*counter)?.integers(bits).signed();
                let start = entry.environment.get(*counter)?.integers(bits).signed();
                let (least, most) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
                // The counter does not wrap around.
                let rounds = if steps.iter().any(|other| *other != step) {
                    return None;
                } else if step > 0 && all.1 + step <= most {
                    (all.1 - start.0) / step
                } else if step < 0 && all.0 + step >= least {
                    (start.1 - all.0) / -step
                } else {
                    return None;
                };
                u64::try_from(rounds).ok()
            })
            .min()
    }

    /// The constant that an act adds to a register.
    fn increment(&self, act: &Act, counter: Register) -> Option<i128> {
        let Act::Integer { operation, operands: [a, b], bits, .. } = act else { return None };
        let constant = |operand: Operand| match operand {
            Operand::Constant(id) => match self.code.constant(id) {
                (_, Constant::Integer(_)) => self.constants[id.0 as usize].integers(*bits).single(),
                (_, _) => None,
            },
            Operand::Register(_) => None,
        };
        let counter = Operand::Register(counter);
        match operation {
            IntegerOperation::Add if *a == counter => constant(*b),
            IntegerOperation::Add if *b == counter => constant(*a),
            IntegerOperation::Sub if *a == counter => constant(*b).map(|value| -value),
            // Any other operation does not count.
            _ => None,
        }
    }
}

/// The values of registers within bounds.
fn values(
    function: &Function,
    variables: &[Register],
    bounds: &[Bounds],
) -> Vec<(Register, Value)> {
    let value =
        |(register, bounds): (&Register, &Bounds)| match function.registers[register.0 as usize] {
            Type::Float(format) => Some((*register, Value::float(floats_within(format, *bounds)))),
            _ => None,
        };
    variables.iter().zip(bounds).filter_map(value).collect()
}

/// The differences of variables that are bounded better than the variables.
fn differences(
    system: &System,
    reach: &Reach,
    reached: &[Bounds],
) -> Vec<(Register, Register, Bounds)> {
    let mut found = Vec::new();
    for a in 0..reached.len() {
        for b in a + 1..reached.len() {
            let difference = system.difference(a, b, reach);
            let apart = reached[a].plus(reached[b].negated());
            if difference.is_finite() && difference.size() < apart.size() / 2.0 {
                found.push((system.variables[a], system.variables[b], difference));
            }
        }
    }
    found
}

/// Bounds with room for what rounding adds. None is left so narrow that products with it vanish,
/// and with them what the recurrence makes of it.
fn padded(bounds: &[Bounds]) -> Vec<Bounds> {
    let largest = bounds.iter().map(|bounds| bounds.size()).fold(0.0, f64::max);
    let pad = |bounds: &Bounds| {
        let room = bounds.size() * 1e-2 + largest * 1e-6 + 1e-20;
        Bounds::new(bounds.lo - room, bounds.hi + room)
    };
    bounds.iter().map(pad).collect()
}
