//! Acceleration of loops that are linear recurrences: bounds of their registers that iteration with
//! widening does not find.
//!
//! All states at the head of a loop are included in the fixpoint that iteration has found. If,
//! with some registers taken to be in a box, one round from there is a linear recurrence whose
//! states stay in that box, they do: by induction on the number of rounds.

use crate::domain::linear_form::{Bounds, Form, finite, floats_within};
use crate::domain::linear_system::{Atom, Bounded, Mode, Reach, System};
use crate::domain::recurrences::{self, Level, Recurrences, Variable};
use crate::domain::state::State;
use crate::fixpoint::interpreter::{Frame, Interpreter};
use crate::fixpoint::invariant::{self, Invariant, value_of};
use crate::fixpoint::modes::Modes;
use crate::fixpoint::order::{Loop, back_edges};
use crate::fixpoint::unbounded::Unbounded;
use crate::policy::{
    ACCELERATION_ATTEMPTS, EXPENSIVE_LOOP, FAILURE_COST, MOST_VAIN_ACCELERATIONS, MOST_VARIABLES,
};
use crate::value::AbstractValue;
use nanoscope_program::ir::{
    Act, Callee, Code, Constant, Edge, Function, IntegerOperation, Operand, Register, Type,
};
use std::rc::Rc;

/// What is known of a loop when invariants of it are looked for.
struct Head<'a> {
    inner: &'a Loop,
    members: &'a Rc<[bool]>,
    entry: &'a State,
    fixpoint: &'a State,
    /// The most rounds.
    rounds: Option<u64>,
    modes: &'a Modes,
    /// Whether forms are preferred to known numbers.
    prefers_forms: bool,
}

/// What a round from the head in one mode makes of the variables; without traces if none leads back.
#[derive(Default)]
struct Followed {
    forms: Vec<Vec<Option<Form<Atom>>>>,
    after: Vec<Option<Bounds>>,
    next: Vec<usize>,
    at_entry: bool,
    /// Whether some register had both a form and one known number.
    has_both: bool,
}

impl Followed {
    /// Whether a variable has a form in every trace, or a range.
    fn is_bounded(&self, at: usize) -> bool {
        self.forms.is_empty()
            || self.after[at].is_some()
            || self.forms.iter().all(|forms| forms[at].is_some())
    }

    /// The rounds of the mode, where all variables are bounded.
    fn mode(self) -> Mode {
        let whole = |forms: &Vec<Option<Form<Atom>>>| {
            let ranges = forms.iter().zip(&self.after);
            let form = |(form, after): (&Option<Form<Atom>>, &Option<Bounds>)| {
                form.clone().or_else(|| after.map(Form::constant))
            };
            ranges.filter_map(form).collect()
        };
        let traces = self.forms.iter().map(whole).collect();
        Mode { traces, next: self.next, at_entry: self.at_entry }
    }
}

impl<'c> Interpreter<'c> {
    /// An invariant of a loop that is entered with a state, if it is a linear recurrence whose
    /// variables iteration does not bound well; else one that says nothing.
    pub fn accelerate(
        &mut self,
        frame: &mut Frame<'c>,
        inner: &Loop,
        members: &Rc<[bool]>,
        entry: &Rc<State>,
    ) -> Invariant {
        let key = (frame.id, inner.head);
        let vain = self.learnt.vain_accelerations.get(&key).copied().unwrap_or(0);
        if !self.domains.recurrences || !self.effort.accelerate || vain >= MOST_VAIN_ACCELERATIONS {
            return Invariant::default();
        }
        let (function, definitions) = (frame.function, &frame.facts.definitions);
        let registers = recurrences::variables(function, inner.head);
        let may_recur = recurrences::may_recur(function, definitions, inner.head, &registers);
        if !may_recur && !writes_memory(self.code, function, inner) {
            self.learnt.vain_accelerations.insert(key, MOST_VAIN_ACCELERATIONS);
            return Invariant::default();
        }
        let recording = std::mem::replace(&mut self.recording, false);
        let begun = self.steps;
        let fixpoint = self.fixpoint(frame, inner, members, entry, &Invariant::default());
        let is_expensive = self.steps - begun > EXPENSIVE_LOOP;
        let variables = self.grown(&registers, entry, &fixpoint);
        // A loop that iteration bounds may still need it in another context.
        let (found, cost) = match variables {
            Ok(variables) if variables.is_empty() => (Ok(None), 1),
            Ok(variables) if self.stopped.is_none() && !is_expensive => {
                let found = self.invariant(frame, inner, members, entry, &fixpoint, &variables);
                (found.map(Some), FAILURE_COST)
            }
            Ok(_) => (Ok(None), 1),
            Err(why) => (Err(why), 1),
        };
        self.recording = recording;
        let is_found = matches!(found, Ok(Some(_)));
        self.learnt.vain_accelerations.insert(key, if is_found { 0 } else { vain + cost });
        match found {
            Ok(found) => {
                let (invariant, lack) = found.unwrap_or_default();
                match lack {
                    Some(why) => self.learnt.unbounded.insert(key, why),
                    None if is_found => self.learnt.unbounded.remove(&key),
                    None => None,
                };
                invariant
            }
            Err(why) => {
                if self.stopped.is_none() {
                    self.learnt.unbounded.insert(key, why);
                }
                Invariant::default()
            }
        }
    }

    /// The registers, and the cells of memory, that are finite when the loop is entered and not
    /// the same in every round; nothing if none of them grows.
    fn grown(
        &self,
        registers: &[Register],
        entry: &State,
        fixpoint: &State,
    ) -> Result<Vec<Variable>, Unbounded> {
        let globals = &self.globals;
        let is_finite = |variable: &Variable| {
            value_of(entry, variable, globals).is_some_and(|value| at_entry(&value).is_some())
        };
        let grows = |variable: &Variable| {
            value_of(entry, variable, globals) != value_of(fixpoint, variable, globals)
        };
        let registers = registers.iter().map(|register| Variable::Register(*register));
        let mut variables: Vec<Variable> = registers.filter(is_finite).collect();
        let cells = fixpoint.memory.objects().filter(|(_, contents)| contents.unique);
        let cells = cells.flat_map(|(object, contents)| {
            contents.cells.iter().filter_map(move |(at, cell)| match &cell.value {
                AbstractValue::Float(floats) => {
                    let ty = Type::Float(floats.get().format);
                    (cell.bytes == ty.stored_bytes()).then_some(Variable::Cell((object, *at, ty)))
                }
                _ => None,
            })
        });
        let cells: Vec<Variable> =
            cells.filter(|cell| is_finite(cell) && grows(cell)).take(MOST_VARIABLES + 1).collect();
        if variables.len() + cells.len() <= MOST_VARIABLES {
            variables.extend(cells);
        }
        match variables.iter().any(grows) {
            true if variables.len() > MOST_VARIABLES => Err(Unbounded::ManyVariables),
            true => Ok(variables),
            false => Ok(Vec::new()),
        }
    }

    /// Looks for a box that a linear recurrence does not leave, first without modes, and first with
    /// known numbers in the place of forms. Where the recurrence alone does not keep its variables in
    /// the box, but what iteration has found does, the reason comes with it.
    fn invariant(
        &mut self,
        frame: &mut Frame<'c>,
        inner: &Loop,
        members: &Rc<[bool]>,
        entry: &State,
        fixpoint: &State,
        variables: &[Variable],
    ) -> Result<(Invariant, Option<Unbounded>), Unbounded> {
        let rounds = self.most_rounds(frame, inner, entry, fixpoint);
        let mut modes = vec![Modes::One];
        modes.extend(self.modes(frame, inner, entry, fixpoint));
        let mut has_both = false;
        let mut why = Unbounded::NotLinear;
        let (mut weak, mut best) = (None, None);
        for prefers_forms in [false, true] {
            if prefers_forms && !has_both {
                break;
            }
            for modes in &modes {
                let at = Head { inner, members, entry, fixpoint, rounds, modes, prefers_forms };
                let found = self.invariant_with(frame, &at, variables.to_vec(), &mut has_both);
                match found {
                    // Modes may tell more than what a norm for all of them does.
                    Ok((invariant, None)) => best = narrower(best, invariant),
                    // Bounds that iteration has found as well: other modes may tell more.
                    Ok((invariant, Some(lack))) => {
                        why = why.max(lack);
                        weak = weak.or(Some(invariant));
                    }
                    // What came nearest tells most.
                    Err(other) => why = why.max(other),
                }
            }
            if best.is_some() {
                break;
            }
        }
        match best {
            Some(invariant) => Ok((invariant, None)),
            None => weak.map(|invariant| (invariant, Some(why))).ok_or(why),
        }
    }

    /// Looks for a box with some modes, and tells what keeps the recurrence alone from bounding its
    /// variables.
    fn invariant_with(
        &mut self,
        frame: &mut Frame<'c>,
        head: &Head,
        mut variables: Vec<Variable>,
        has_both: &mut bool,
    ) -> Result<(Invariant, Option<Unbounded>), Unbounded> {
        let first_bounds = |this: &Self, variables: &[Variable]| {
            this.entry_bounds(head.entry, variables).ok_or(Unbounded::NotLinear)
        };
        let mut assumed = first_bounds(self, &variables)?;
        let mut before: Option<(Vec<Bounds>, Vec<Bounds>)> = None;
        for _ in 0..ACCELERATION_ATTEMPTS {
            let followed = self.follow_modes(frame, head, &variables, &assumed);
            let followed = followed.ok_or(Unbounded::NotLinear)?;
            *has_both |= followed.iter().any(|round| round.has_both);
            let is_bounded = |at: usize| followed.iter().all(|round| round.is_bounded(at));
            if !(0..variables.len()).all(is_bounded) {
                let mut bounded = (0..variables.len()).map(is_bounded);
                variables.retain(|_| bounded.next().unwrap_or(false));
                assumed = first_bounds(self, &variables)?;
                before = None;
                if variables.is_empty() {
                    return Err(Unbounded::NotLinear);
                }
                continue;
            }
            let modes: Vec<Mode> = followed.into_iter().map(Followed::mode).collect();
            let system = System::of(variables.len(), &modes).ok_or(Unbounded::ManyModes)?;
            let first = first_bounds(self, &variables)?;
            let apart = entry_differences(head.entry, &variables);
            let room = assumed.clone();
            let rounds = head.rounds;
            let reach = Reach { entry: first, differences: apart, assumed: room, rounds };
            let known = |(at, reached): (usize, Bounds)| {
                let value = value_of(head.fixpoint, &variables[at], &self.globals);
                let known = value.as_ref().and_then(finite);
                known.map_or(reached, |known| reached.meet(known))
            };
            let reached = system.reach(&reach);
            let lack = if !reached.iter().all(|bounds| bounds.is_finite()) {
                Some(Unbounded::NotContracting)
            } else if !assumed.iter().zip(&reached).all(|(a, b)| a.includes(*b)) {
                Some(Unbounded::NoBox)
            } else {
                None
            };
            let reached: Vec<Bounds> = reached.into_iter().enumerate().map(known).collect();
            if !reached.iter().all(|bounds| bounds.is_finite()) {
                return Err(Unbounded::NotContracting);
            }
            if assumed.iter().zip(&reached).all(|(a, b)| a.includes(*b)) {
                let differences = differences(&system, &reach, &reached, &variables);
                let values = variables.iter().zip(&reached).filter_map(|(variable, bounds)| {
                    let value = value_within(frame.function, variable, *bounds)?;
                    Some((variable.clone(), value))
                });
                let values = values.collect();
                let bounded = Rc::new(Bounded::new(system, &reach));
                let recurrence = Some((variables, reached, bounded));
                return Ok((Invariant { values, differences, recurrence }, lack));
            }
            let next = padded(&extrapolated(before.as_ref(), &reach.assumed, &reached));
            before = Some((std::mem::replace(&mut assumed, next), reached));
        }
        Err(Unbounded::NoBox)
    }

    /// Follows a round from the head in each mode, with variables in a box; nothing if the
    /// analysis stopped, or if no round leads back to the head.
    fn follow_modes(
        &mut self,
        frame: &mut Frame<'c>,
        head: &Head,
        variables: &[Variable],
        assumed: &[Bounds],
    ) -> Option<Vec<Followed>> {
        let level = self.level(frame);
        let mut all = Vec::new();
        for mode in 0..head.modes.count() {
            let mut state = head.fixpoint.clone();
            for (variable, bounds) in variables.iter().zip(assumed) {
                if let Some(value) = value_within(frame.function, variable, *bounds) {
                    invariant::assign(&mut state, variable, value, &self.globals);
                }
            }
            state.domains.cells.clear();
            let prefers = head.prefers_forms;
            state.domains.recurrences =
                Recurrences::follow_from(level, variables, assumed, None, prefers);
            head.modes.assume(&mut state, mode, &self.globals);
            let outside = (frame.pending.clone(), frame.returned.clone());
            let (back, _) = self.round(frame, head.inner, head.members, Rc::new(state));
            (frame.pending, frame.returned) = outside;
            if self.stopped.is_some() {
                return None;
            }
            let at_entry = head.modes.may_be(head.entry, mode, &self.globals);
            let mut followed = Followed { at_entry, ..Followed::default() };
            if let Some(back) = back {
                followed.has_both = back.domains.recurrences.has_both();
                followed.forms = back.domains.recurrences.forms(level, variables)?;
                let value = |variable| value_of(&back, variable, &self.globals);
                let after =
                    variables.iter().map(|variable| value(variable).as_ref().and_then(finite));
                followed.after = after.collect();
                followed.next = head.modes.after(&back, mode, &self.globals);
            }
            all.push(followed);
        }
        all.iter().any(|followed| !followed.forms.is_empty()).then_some(all)
    }

    /// The loop whose next round is about to run.
    pub fn level(&self, frame: &Frame<'c>) -> Level {
        (self.active.len(), frame.loops.len())
    }

    fn entry_bounds(&self, entry: &State, variables: &[Variable]) -> Option<Vec<Bounds>> {
        let bounds = |variable| at_entry(&value_of(entry, variable, &self.globals)?);
        variables.iter().map(bounds).collect()
    }

    /// The most rounds that a loop with a counter takes.
    fn most_rounds(
        &self,
        frame: &Frame<'c>,
        inner: &Loop,
        entry: &State,
        fixpoint: &State,
    ) -> Option<u64> {
        let back = back_edges(frame.function, inner);
        let counters = back.first()?.moves.iter().map(|(counter, _)| *counter);
        counters
            .filter_map(|counter| {
                let (bits, step) = self.increments(frame, &back, counter)?;
                let all = fixpoint.environment.get(counter)?.integers(bits).signed();
                let start = entry.environment.get(counter)?.integers(bits).signed();
                let (least, most) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
                // The counter does not wrap around.
                let rounds = if step > 0 && all.1 + step <= most {
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

    /// A constant integer.
    pub fn integer_constant(&self, operand: Operand, bits: u32) -> Option<i128> {
        match operand {
            Operand::Constant(id) => match self.code.constant(id) {
                (_, Constant::Integer(_)) => self.constants[id.0 as usize].integers(bits).single(),
                (_, _) => None,
            },
            Operand::Register(_) => None,
        }
    }

    /// The width of a counter, and the constant that every round adds to it.
    pub fn increments(
        &self,
        frame: &Frame<'c>,
        back: &[&Edge],
        counter: Register,
    ) -> Option<(u32, i128)> {
        let Type::Integer(bits @ 2..=64) = frame.function.registers[counter.0 as usize] else {
            return None;
        };
        let step = |edge: &&Edge| {
            let (_, from) = edge.moves.iter().find(|(to, _)| *to == counter)?;
            let act = frame.facts.definitions.act(frame.function, from.register()?)?;
            self.increment(act, counter)
        };
        let steps: Option<Vec<i128>> = back.iter().map(step).collect();
        let steps = steps?;
        let first = *steps.first()?;
        steps.iter().all(|step| *step == first).then_some((bits, first))
    }

    /// The constant that an act adds to a register.
    fn increment(&self, act: &Act, counter: Register) -> Option<i128> {
        let Act::Integer { operation, operands: [a, b], bits, .. } = act else { return None };
        let constant = |operand: Operand| self.integer_constant(operand, *bits);
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

/// The one of two invariants whose box is the smaller.
fn narrower(known: Option<Invariant>, other: Invariant) -> Option<Invariant> {
    let size = |invariant: &Invariant| {
        let bounds = invariant.recurrence.iter().flat_map(|(_, bounds, _)| bounds);
        bounds.map(|bounds| bounds.size()).sum::<f64>()
    };
    match known {
        Some(known) if size(&known) <= size(&other) => Some(known),
        Some(_) | None => Some(other),
    }
}

/// Whether a loop may write floats to memory, itself or in a function that it calls.
fn writes_memory(code: &Code, function: &Function, inner: &Loop) -> bool {
    let blocks = function.blocks.iter().zip(&*inner.members).filter(|(_, member)| **member);
    let mut acts = blocks.flat_map(|(block, _)| block.instructions.iter()).map(|it| &it.act);
    acts.any(|act| match act {
        Act::Store { ty, .. } => matches!(ty, Type::Float(_)),
        Act::Call { callee: Callee::Function(id), .. } => code.function(*id).is_defined(),
        Act::Call { callee: Callee::Address(_), .. } => true,
        _ => false,
    })
}

/// The value of a variable within bounds.
fn value_within(function: &Function, variable: &Variable, bounds: Bounds) -> Option<AbstractValue> {
    let ty = match variable {
        Variable::Register(register) => &function.registers[register.0 as usize],
        Variable::Cell((_, _, ty)) => ty,
    };
    match ty {
        Type::Float(format) => Some(AbstractValue::float(floats_within(*format, bounds))),
        _ => None,
    }
}

/// The differences of variables that are known when the loop is entered.
fn entry_differences(entry: &State, variables: &[Variable]) -> Vec<(usize, usize, Bounds)> {
    let register = |variable: &Variable| match variable {
        Variable::Register(register) => Some(Operand::Register(*register)),
        Variable::Cell(_) => None,
    };
    let mut found = Vec::new();
    for (a, first) in variables.iter().enumerate() {
        for (b, second) in variables.iter().enumerate().skip(a + 1) {
            if let (Some(x), Some(y)) = (register(first), register(second))
                && let Some(bounds) = entry.domains.zones.difference(x, y)
            {
                found.push((a, b, bounds));
            }
        }
    }
    found
}

/// The differences of variables that are bounded better than the variables.
fn differences(
    system: &System,
    reach: &Reach,
    reached: &[Bounds],
    variables: &[Variable],
) -> Vec<(Register, Register, Bounds)> {
    let mut found = Vec::new();
    for a in 0..reached.len() {
        for b in a + 1..reached.len() {
            let (Variable::Register(x), Variable::Register(y)) = (&variables[a], &variables[b])
            else {
                continue;
            };
            let difference = system.difference(a, b, reach);
            let apart = reached[a].plus(reached[b].negated());
            if difference.is_finite() && difference.size() < apart.size() / 2.0 {
                found.push((*x, *y, difference));
            }
        }
    }
    found
}

/// The bounds of a variable where a loop is entered. One that is not set may begin with any value:
/// it has none yet.
fn at_entry(value: &AbstractValue) -> Option<Bounds> {
    if value.is_empty() { Some(Bounds::only(0.0)) } else { finite(value) }
}

/// Where boxes converge, from what two of them led to: what is reached is linear in what is
/// assumed, but for rounding.
fn extrapolated(
    before: Option<&(Vec<Bounds>, Vec<Bounds>)>,
    assumed: &[Bounds],
    reached: &[Bounds],
) -> Vec<Bounds> {
    let Some((old_assumed, old_reached)) = before else { return reached.to_vec() };
    let end = |from: [f64; 2], to: [f64; 2]| {
        let slope = (to[1] - to[0]) / (from[1] - from[0]);
        let limit = to[1] + slope / (1.0 - slope) * (to[1] - from[1]);
        if slope > 0.0 && slope < 0.98 && limit.abs() > to[1].abs() { limit } else { to[1] }
    };
    let each = |at: usize| {
        let ends = |side: fn(&Bounds) -> f64| {
            let from = [side(&old_assumed[at]), side(&assumed[at])];
            end(from, [side(&old_reached[at]), side(&reached[at])])
        };
        Bounds::new(ends(|bounds| bounds.lo), ends(|bounds| bounds.hi))
    };
    (0..reached.len()).map(each).collect()
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
