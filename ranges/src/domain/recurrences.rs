//! The domain of linear recurrences: loops whose variables are linear in those of the round before,
//! such as digital filters `s2 = a*s1 + b*s0 + input`, sums, and shift registers.
//!
//! Variables are registers and cells of memory. In one round of a loop each is a linear form of the
//! variables at its head and of inputs, with an interval for rounding errors. A trace says: there
//! are values of its atoms, each in its range, of which the registers and cells are these forms.
//! Calls and inner loops that are unrolled are followed. What becomes of the forms after a round
//! stands in `linear_system.rs`.

use crate::domain::cells::Place;
use crate::domain::environment::Environment;
use crate::domain::linear_form::{Bounds, Form, finite, floats_within, greatest, limited, rounded};
use crate::domain::linear_system::{Atom, Bounded};
use crate::domain::point::{Domain, Known, Side, Text};
use crate::domain::values::{Computed, modes_of};
use crate::function::definitions::Definitions;
use crate::integers::Integers;
use crate::memory::address::ObjectId;
use crate::policy::{LONGEST_RECURRENCE, MOST_RECURRENCE_ATOMS, MOST_TRACES};
use crate::value::AbstractValue;
use nanoscope_ieee::{Format, Operation, operations};
use nanoscope_program::Exception;
use nanoscope_program::ir::{
    Act, BlockId, Edge, Function, Instruction, IntegerOperation, Mode, Operand, Register, Type,
};
use nanoscope_sets::Modes;
use std::rc::Rc;

/// A variable of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Variable {
    Register(Register),
    Cell(Place),
}

/// The linear forms since the head of a loop, for each trace from there; nothing where no loop is
/// followed.
#[derive(Clone, Debug, Default)]
pub struct Recurrences(Option<Followed>);

/// A loop that is followed.
#[derive(Clone, Debug)]
struct Followed {
    traces: Vec<Trace>,
    level: Level,
    /// The recurrence, once it is known, and the values of its linear forms.
    bounded: Option<Rc<Bounded>>,
    /// What a counter of the loop is congruent to in this round.
    residue: Option<Residue>,
}

/// A counter without sign, its value modulo a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residue {
    pub counter: Register,
    pub modulus: i128,
    pub value: i128,
}

impl Residue {
    /// What an act computes of the counter, if that depends on the residue only.
    fn computed(&self, at: &Text, environment: &Environment, act: &Act) -> Option<Integers> {
        let (counter, modulus) = divided(act, |operand| {
            let Operand::Constant(_) = operand else { return None };
            at.value(environment, operand).as_integer()?.single()
        })?;
        let Act::Integer { operation, bits, .. } = act else { return None };
        let of_counter = counter == self.counter && self.modulus % modulus == 0;
        let is_unsigned = *operation != IntegerOperation::SignedRem
            || at.value(environment, Operand::Register(counter)).integers(*bits).lo() >= 0;
        let value = (self.value % modulus) as u128;
        (of_counter && is_unsigned).then(|| Integers::of_bits(*bits, value))
    }
}

/// The register and the modulus of an act that computes a residue.
pub fn divided(act: &Act, constant: impl Fn(Operand) -> Option<i128>) -> Option<(Register, i128)> {
    let Act::Integer { operation, operands: [a, b], .. } = act else { return None };
    let modulus = match operation {
        IntegerOperation::UnsignedRem | IntegerOperation::SignedRem => constant(*b)?,
        IntegerOperation::And => constant(*b).filter(|mask| (mask & (mask + 1)) == 0)? + 1,
        // No other operation computes a residue.
        _ => return None,
    };
    (modulus > 1).then_some((a.register()?, modulus))
}

/// Which loop is followed: the number of functions that are active, and of loops in the last.
pub type Level = (usize, usize);

/// The forms of one trace.
#[derive(Clone, Debug, Default, PartialEq)]
struct Trace {
    registers: Vec<(Register, Form<Atom>)>,
    cells: Vec<(Place, Form<Atom>)>,
    /// Inputs so far.
    inputs: u32,
    /// The registers of the callers, and the cells that callees cannot reach.
    callers: Vec<Caller>,
    returned: Option<Form<Atom>>,
    /// The truth of conditions by which values were selected.
    decided: Vec<(Register, bool)>,
    /// Whether the form of a register is preferred to the one number that it is known to be, and
    /// whether that makes a difference: `x - y` of registers that are always equal is zero, but only
    /// the form shows that they approach each other.
    prefers_forms: bool,
    has_both: bool,
}

type Caller = (Vec<(Register, Form<Atom>)>, Vec<(Place, Form<Atom>)>);

impl Recurrences {
    /// Follows a round of a loop from its head on, where variables have these ranges.
    pub fn follow_from(
        level: Level,
        variables: &[Variable],
        ranges: &[Bounds],
        bounded: Option<Rc<Bounded>>,
        prefers_forms: bool,
    ) -> Recurrences {
        let mut trace = Trace { prefers_forms, ..Trace::default() };
        for (at, (variable, range)) in variables.iter().zip(ranges).enumerate() {
            let form = Form::atom(Atom::Variable(at), *range);
            match variable {
                Variable::Register(register) => trace.registers.push((*register, form)),
                Variable::Cell(place) => trace.cells.push((place.clone(), form)),
            }
        }
        Recurrences(Some(Followed { traces: vec![trace], level, bounded, residue: None }))
    }

    /// Takes a counter of the loop to have a residue in this round.
    pub fn assume_residue(&mut self, residue: Residue) {
        if let Some(followed) = &mut self.0 {
            followed.residue = Some(residue);
        }
    }

    /// The loop that is followed.
    pub fn level(&self) -> Option<Level> {
        self.0.as_ref().map(|followed| followed.level)
    }

    fn traces(&mut self) -> impl Iterator<Item = &mut Trace> {
        self.0.iter_mut().flat_map(|followed| &mut followed.traces)
    }

    /// Whether some register had both a form and one known number.
    pub fn has_both(&self) -> bool {
        self.0.iter().flat_map(|followed| &followed.traces).any(|trace| trace.has_both)
    }

    /// Whether a loop is followed.
    pub fn is_following(&self) -> bool {
        self.0.is_some()
    }

    /// Follows nothing any more.
    pub fn stop(&mut self) {
        self.0 = None;
    }

    /// The forms of variables after a round, for each trace; `None` for a variable without one.
    pub fn forms(
        &self,
        level: Level,
        variables: &[Variable],
    ) -> Option<Vec<Vec<Option<Form<Atom>>>>> {
        let form = |trace: &Trace, variable: &Variable| match variable {
            Variable::Register(register) => find(&trace.registers, register).cloned(),
            Variable::Cell(place) => find(&trace.cells, place).cloned(),
        };
        let forms =
            |trace: &Trace| variables.iter().map(|variable| form(trace, variable)).collect();
        let followed = self.0.as_ref().filter(|followed| followed.level == level)?;
        Some(followed.traces.iter().map(forms).collect())
    }

    /// A register was loaded from a cell.
    pub fn load(&mut self, result: Register, place: &Place) {
        for trace in self.traces() {
            if let Some(form) = find(&trace.cells, place).cloned() {
                trace.registers.push((result, form));
            }
        }
    }

    /// An operand was stored in a cell of an object that was forgotten except for its other cells.
    pub fn store(&mut self, at: &Text, environment: &Environment, place: &Place, value: Operand) {
        for trace in self.traces() {
            let form = trace.form(at, environment, value);
            let bytes = place.2.stored_bytes();
            trace.cells.retain(|((object, offset, ty), _)| {
                *object != place.0
                    || *offset + ty.stored_bytes() <= place.1
                    || place.1 + bytes <= *offset
            });
            trace.cells.extend(form.map(|form| (place.clone(), form)));
        }
    }

    /// An object may have changed.
    pub fn forget_object(&mut self, object: ObjectId) {
        for trace in self.traces() {
            trace.cells.retain(|(place, _)| place.0 != object);
        }
    }

    /// All of memory may have changed.
    pub fn forget_memory(&mut self) {
        for trace in self.traces() {
            trace.cells.clear();
            trace.callers.iter_mut().for_each(|(_, cells)| cells.clear());
        }
    }

    /// The start of a callee: its parameters are the operands, and cells have other names; `None`
    /// for those that it cannot reach.
    pub fn enter(
        &self,
        at: &Text,
        environment: &Environment,
        arguments: &[Operand],
        name: &dyn Fn(ObjectId) -> Option<ObjectId>,
    ) -> Recurrences {
        let mut entered = self.clone();
        for trace in entered.traces() {
            let forms: Vec<Option<Form<Atom>>> =
                arguments.iter().map(|operand| trace.form(at, environment, *operand)).collect();
            trace.decided.clear();
            let numbered = forms.into_iter().enumerate();
            let parameters =
                numbered.filter_map(|(i, form)| Some((Register(i as u32), form?))).collect();
            let registers = std::mem::replace(&mut trace.registers, parameters);
            let (mut seen, mut hidden) = (Vec::new(), Vec::new());
            for (place, form) in std::mem::take(&mut trace.cells) {
                match name(place.0) {
                    Some(object) => seen.push(((object, place.1, place.2), form)),
                    None => hidden.push((place, form)),
                }
            }
            trace.cells = seen;
            trace.callers.push((registers, hidden));
        }
        entered
    }

    /// A callee returns an operand.
    pub fn give_back(&mut self, at: &Text, environment: &Environment, value: Option<Operand>) {
        for trace in self.traces() {
            trace.returned = value.and_then(|value| trace.form(at, environment, value));
            trace.registers.clear();
        }
    }

    /// Back in the caller: a register holds the result, and cells have their names again; `None`
    /// for those that are no more.
    pub fn leave(&mut self, result: Option<Register>, name: &dyn Fn(ObjectId) -> Option<ObjectId>) {
        for trace in self.traces() {
            trace.decided.clear();
            let (registers, hidden) = trace.callers.pop().unwrap_or_default();
            trace.registers = registers;
            let cells = std::mem::replace(&mut trace.cells, hidden);
            trace.cells.extend(cells.into_iter().filter_map(|((object, offset, ty), form)| {
                Some(((name(object)?, offset, ty), form))
            }));
            let returned = trace.returned.take();
            if let Some(result) = result {
                trace.registers.retain(|(known, _)| *known != result);
                trace.registers.extend(returned.map(|form| (result, form)));
            }
        }
    }

    /// A float is selected: a trace for each truth of the condition, unless they are too many.
    fn select(
        &mut self,
        at: &Text,
        environment: &Environment,
        result: Register,
        [condition, then, otherwise]: [Operand; 3],
    ) {
        let (Some(followed), Some(condition)) = (&mut self.0, condition.register()) else { return };
        if !matches!(at.function.registers[result.0 as usize], Type::Float(_)) {
            return;
        }
        let condition = match at.has_equal_numbers() {
            true => at.facts.numbers.number(condition),
            false => condition,
        };
        let mut traces: Vec<Trace> = Vec::new();
        for trace in &followed.traces {
            let known = trace.decided.iter().find(|(known, _)| *known == condition);
            for truth in [true, false] {
                if known.is_some_and(|(_, known)| *known != truth) {
                    continue;
                }
                let mut trace = trace.clone();
                if known.is_none() {
                    trace.decided.push((condition, truth));
                }
                let selected = if truth { then } else { otherwise };
                if let Some(form) = trace.form(at, environment, selected) {
                    trace.registers.push((result, form));
                }
                traces.push(trace);
            }
        }
        if traces.len() <= MOST_TRACES {
            followed.traces = traces;
        }
    }

    /// The traces of both; where they are too many, one that includes all.
    pub fn merged(&self, other: &Recurrences) -> Recurrences {
        let (Some(a), Some(b)) = (&self.0, &other.0) else { return Recurrences(None) };
        if a.level != b.level {
            return Recurrences(None);
        }
        let mut traces = a.traces.clone();
        traces.extend(b.traces.iter().filter(|trace| !a.traces.contains(trace)).cloned());
        if traces.len() > MOST_TRACES {
            let whole = traces.into_iter().reduce(|a, b| a.join(&b));
            traces = whole.into_iter().collect();
        }
        let residue = a.residue.filter(|residue| b.residue.as_ref() == Some(residue));
        Recurrences(Some(Followed { traces, residue, ..a.clone() }))
    }
}

fn find<'t, K: PartialEq>(forms: &'t [(K, Form<Atom>)], key: &K) -> Option<&'t Form<Atom>> {
    forms.iter().find(|(known, _)| known == key).map(|(_, form)| form)
}

fn joined<K: PartialEq + Clone>(
    a: &[(K, Form<Atom>)],
    b: &[(K, Form<Atom>)],
) -> Vec<(K, Form<Atom>)> {
    let both = |(key, form): &(K, Form<Atom>)| Some((key.clone(), form.join(find(b, key)?)?));
    a.iter().filter_map(both).collect()
}

impl Trace {
    /// A trace that includes both: a form that differs in more than its rest is forgotten.
    fn join(&self, other: &Trace) -> Trace {
        let callers = self.callers.iter().zip(&other.callers);
        Trace {
            registers: joined(&self.registers, &other.registers),
            cells: joined(&self.cells, &other.cells),
            inputs: self.inputs.max(other.inputs),
            callers: callers.map(|(a, b)| (joined(&a.0, &b.0), joined(&a.1, &b.1))).collect(),
            returned: self
                .returned
                .as_ref()
                .zip(other.returned.as_ref())
                .and_then(|(a, b)| a.join(b)),
            decided: Vec::new(),
            prefers_forms: self.prefers_forms,
            has_both: self.has_both || other.has_both,
        }
    }

    /// The form of an operand; a register without one is an input.
    fn form(
        &mut self,
        at: &Text,
        environment: &Environment,
        operand: Operand,
    ) -> Option<Form<Atom>> {
        let range = finite(at.value(environment, operand));
        let single = range.filter(|range| range.lo == range.hi).map(Form::constant);
        let known = operand.register().and_then(|register| find(&self.registers, &register));
        let is_wide = |form: &Form<Atom>| form.terms.iter().any(|it| it.range.lo < it.range.hi);
        self.has_both |= single.is_some() && known.is_some_and(is_wide);
        let found = match self.prefers_forms {
            true => known.cloned().or(single),
            false => single.or_else(|| known.cloned()),
        };
        if found.is_some() {
            return found;
        }
        let register = operand.register()?;
        let form = Form::atom(Atom::Input(self.inputs), range?);
        self.inputs += 1;
        self.registers.push((register, form.clone()));
        Some(form)
    }

    /// The product of two operands: one of them is taken for its range.
    fn product(
        &mut self,
        at: &Text,
        environment: &Environment,
        a: Operand,
        b: Operand,
    ) -> Option<Form<Atom>> {
        let (form, other) = (self.form(at, environment, a)?, self.form(at, environment, b)?);
        if form.terms.is_empty() {
            return Some(other.times(form.rest));
        }
        if other.terms.is_empty() {
            return Some(form.times(other.rest));
        }
        // A product of variables is not linear: the factor is what depends on none.
        let depends = |form: &Form<Atom>| {
            form.terms.iter().any(|term| matches!(term.atom, Atom::Variable(_)))
        };
        let range =
            |form: &Form<Atom>, operand: Operand| match finite(at.value(environment, operand)) {
                Some(range) => form.bounds().meet(range),
                None => form.bounds(),
            };
        match (depends(&form), depends(&other)) {
            (true, false) => Some(form.times(range(&other, b))),
            (false, true) => Some(other.times(range(&form, a))),
            (_, _) => None,
        }
    }

    /// The form of an instruction's result.
    fn computed(&mut self, at: &Text, environment: &Environment, act: &Act) -> Option<Form<Atom>> {
        let unit = |format: Format, mode: Mode| match modes_of(at.modes, mode) {
            Modes::NEAREST => 2f64.powi(-(format.precision as i32)),
            _ => 2f64.powi(1 - format.precision as i32),
        };
        let minus = Bounds::only(-1.0);
        match act {
            Act::Freeze { operand } => self.form(at, environment, *operand),
            Act::Float { operation, parameters, operands, mode, relaxed: false } => {
                let format = parameters.format;
                let unit = |format: Format| unit(format, *mode);
                match (operation, &operands[..]) {
                    (Operation::Add | Operation::Sub, &[a, b]) => {
                        let x = self.form(at, environment, a)?;
                        let mut y = self.form(at, environment, b)?;
                        if *operation == Operation::Sub {
                            y = y.times(minus);
                        }
                        let sum = x.plus(&y, MOST_RECURRENCE_ATOMS)?;
                        rounded(sum, format, unit(format), false)
                    }
                    (Operation::Neg, &[a]) => Some(self.form(at, environment, a)?.times(minus)),
                    (Operation::Mul, &[a, b]) => {
                        let product = self.product(at, environment, a, b)?;
                        rounded(product, format, unit(format), true)
                    }
                    (Operation::Fma, &[a, b, c]) => {
                        let product = self.product(at, environment, a, b)?;
                        let addend = self.form(at, environment, c)?;
                        let sum = product.plus(&addend, MOST_RECURRENCE_ATOMS)?;
                        rounded(sum, format, unit(format), true)
                    }
                    (Operation::Div, &[a, b]) => {
                        let divisor = finite(at.value(environment, b))?;
                        let dividend = self.form(at, environment, a)?;
                        rounded(dividend.times(divisor.reciprocal()), format, unit(format), true)
                    }
                    (Operation::Convert, &[a]) => {
                        let (form, target) = (self.form(at, environment, a)?, parameters.target);
                        match target.holds(format) {
                            true => limited(form, target),
                            false => rounded(form, target, unit(target), true),
                        }
                    }
                    // Any other operation is not linear.
                    (_, _) => None,
                }
            }
            // Any other act gives an input.
            _ => None,
        }
    }
}

impl Domain for Recurrences {
    fn transfer(&mut self, at: &Text, environment: &Environment, instruction: &Instruction) {
        let Some(result) = instruction.result else { return };
        if let Act::Select { operands } = &instruction.act {
            return self.select(at, environment, result, *operands);
        }
        for trace in self.traces() {
            if let Some(form) = trace.computed(at, environment, &instruction.act) {
                trace.registers.push((result, form));
            }
        }
    }

    fn forget(&mut self, register: Register) {
        if let Some(followed) = &mut self.0 {
            followed.residue = followed.residue.filter(|residue| residue.counter != register);
        }
        for trace in self.traces() {
            trace.registers.retain(|(known, _)| *known != register);
            trace.decided.retain(|(known, _)| *known != register);
        }
    }

    fn follow(
        &mut self,
        at: &Text,
        before: &Environment,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        for trace in self.traces() {
            let mut moved = Vec::new();
            for (to, from) in edge.moves.iter().filter(|(to, _)| is_live(*to)) {
                if matches!(at.function.registers[to.0 as usize], Type::Float(_)) {
                    let form = trace.form(at, before, *from);
                    moved.extend(form.map(|form| (*to, form)));
                }
            }
            let is_moved = |register: Register| edge.moves.iter().any(|(to, _)| *to == register);
            trace.registers.retain(|(register, _)| is_live(*register) && !is_moved(*register));
            trace.decided.retain(|(register, _)| !is_moved(*register));
            trace.registers.extend(moved);
        }
    }

    fn join(a: Side<Self>, b: Side<Self>, _joined: &Environment) -> Self {
        a.element.merged(b.element)
    }

    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        if let Some(Followed { traces, residue: Some(residue), .. }) = &self.0
            && traces.first().is_some_and(|trace| trace.callers.is_empty())
            && let Some(only) = residue.computed(at, known.environment, &instruction.act)
        {
            computed.value = AbstractValue::Integer(only);
            return;
        }
        let Some(Followed { traces, bounded: Some(bounded), .. }) = &self.0 else { return };
        let AbstractValue::Float(floats) = &computed.value else { return };
        let floats = floats.get();
        let bounds = |trace: &Trace| {
            let form = trace.clone().computed(at, known.environment, &instruction.act)?;
            bounded.bounds(&form)
        };
        let all: Option<Vec<Bounds>> = traces.iter().map(bounds).collect();
        if let Some(bounds) = all.and_then(|all| all.into_iter().reduce(Bounds::join))
            && greatest(floats.format).is_some_and(|limit| bounds.is_within(limit))
        {
            let left = floats.meet(&floats_within(floats.format, bounds));
            if !left.is_empty() {
                // Of finite operands, and finite itself.
                computed.raised.remove(Exception::Invalid);
                computed.raised.remove(Exception::Overflow);
                computed.value = AbstractValue::float(left);
            }
        }
    }
}

/// The float registers that are assigned on edges to the head of a loop.
pub fn variables(function: &Function, head: BlockId) -> Vec<Register> {
    let mut found: Vec<Register> = Vec::new();
    for edge in function.blocks.iter().flat_map(|block| block.end.edges()) {
        for (to, _) in edge.moves.iter().filter(|_| edge.to == head) {
            let ty = &function.registers[to.0 as usize];
            let is_known = matches!(ty, Type::Float(Format::BINARY32 | Format::BINARY64));
            if is_known && !found.contains(to) {
                found.push(*to);
            }
        }
    }
    found
}

/// Whether some variable may be a sum that depends on a variable, as far as the text tells.
pub fn may_recur(
    function: &Function,
    definitions: &Definitions,
    head: BlockId,
    variables: &[Register],
) -> bool {
    let edges = function.blocks.iter().flat_map(|block| block.end.edges());
    let mut moves = edges.filter(|edge| edge.to == head).flat_map(|edge| edge.moves.iter());
    moves.any(|(to, from)| {
        variables.contains(to)
            && *from != Operand::Register(*to)
            && from.register().is_some_and(|register| {
                !variables.contains(&register)
                    && depends(function, definitions, register, variables)
            })
    })
}

/// Whether a register may be linear in some variable.
fn depends(
    function: &Function,
    definitions: &Definitions,
    register: Register,
    variables: &[Register],
) -> bool {
    let mut seen = vec![register];
    let mut next = 0;
    while let Some(&register) = seen.get(next) {
        next += 1;
        if variables.contains(&register) {
            return true;
        }
        if next > LONGEST_RECURRENCE {
            return false;
        }
        let mut follow = |operand: &Operand| {
            seen.extend(operand.register().filter(|register| !seen.contains(register)));
        };
        match definitions.act(function, register) {
            Some(Act::Freeze { operand }) => follow(operand),
            Some(Act::Select { operands: [_, then, otherwise] }) => {
                [then, otherwise].into_iter().for_each(follow);
            }
            Some(Act::Float { operation, operands, relaxed: false, .. }) => match operation {
                Operation::Neg | Operation::Convert | operations!(Rational) => {
                    operands.iter().for_each(follow);
                }
                // Any other operation is not linear.
                _ => {}
            },
            Some(_) => {}
            // Paths meet there: any of them may bring it.
            None => {
                let edges = function.blocks.iter().flat_map(|block| block.end.edges());
                let moves = edges.flat_map(|edge| edge.moves.iter());
                moves.filter(|(to, _)| *to == register).for_each(|(_, from)| follow(from));
            }
        }
    }
    false
}
