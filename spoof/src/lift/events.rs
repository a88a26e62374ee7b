//! The event trace: what becomes of exceptional values in a run, instruction by instruction.
//!
//! As in EXCVATE's figure 1, an instruction generates an exceptional value, propagates one,
//! kills one, or just reads one; and so many are alive after it, in registers and memory. Values
//! are followed as far as they depend on the inputs.

use super::symbolic_state::Place;
use super::{Lifter, address_of, register_place, writes};
use crate::reify::{entry_model, is_exceptional};
use crate::trace::{Step, Trace};
use iced_x86::{Formatter, Instruction, InstructionInfo, IntelFormatter, OpAccess};
use nanoscope_ieee::{Format, Operation};
use nanoscope_term::{Evaluation, Op, Sort, Term, Terms};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An instruction that exceptional values came by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The number of its step.
    pub step: usize,
    /// Its address in the process that ran it.
    pub address: u64,
    /// Its text, in Intel's syntax.
    pub disassembly: String,
    /// It made an exceptional value of operands that were none.
    pub generated: bool,
    /// It passed one on.
    pub propagated: bool,
    /// It overwrote one.
    pub killed: bool,
    /// One was among its operands.
    pub read: bool,
    /// How many are alive after it.
    pub alive: usize,
}

impl fmt::Display for Event {
    /// `G--`, `-P-r` and so on, with the text and the number alive.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |set: bool, letter: char| if set { letter } else { '-' };
        write!(
            f,
            "{:#x} {} {}{}{}{} {}",
            self.address,
            self.disassembly,
            letter(self.generated, 'G'),
            letter(self.propagated, 'P'),
            letter(self.killed, 'K'),
            letter(self.read, 'r'),
            self.alive
        )
    }
}

/// A place that was overwritten.
#[derive(Clone, Debug)]
struct Write {
    place: Place,
    /// So many bytes.
    size: usize,
    /// The strings that begin in them.
    strings: Vec<(Place, Term)>,
}

/// What a step read and wrote of symbolic floats.
#[derive(Clone, Debug, Default)]
pub(super) struct Touch {
    reads: BTreeSet<Term>,
    writes: Vec<Write>,
    /// x87 registers: what they hold after it.
    stack: Option<[Option<Term>; 8]>,
}

impl Lifter<'_> {
    /// The symbolic strings that an instruction reads.
    pub(super) fn reads(&self, step: &Step, info: &InstructionInfo) -> BTreeSet<Term> {
        let reads = |access: OpAccess| {
            !matches!(access, OpAccess::None | OpAccess::Write | OpAccess::NoMemAccess)
        };
        let mut places: Vec<(Place, usize)> = info
            .used_registers()
            .iter()
            .filter(|used| reads(used.access()))
            .filter_map(|used| register_place(used.register()))
            .collect();
        for used in info.used_memory() {
            if let Some(address) = address_of(step, used).filter(|_| reads(used.access())) {
                places.push((Place::Memory(address), used.memory_size().size()));
            }
        }
        let mut terms = BTreeSet::new();
        for (place, size) in places {
            terms.extend((0..size).filter_map(|at| Some(self.machine.part(place, at)?.term)));
        }
        terms
    }

    /// What an instruction has written, once it is lifted.
    pub(super) fn writes(&self, step: &Step, info: &InstructionInfo) -> Touch {
        let mut places: Vec<(Place, usize)> = Vec::new();
        for used in info.used_registers().iter().filter(|used| writes(used.access())) {
            match register_place(used.register()) {
                Some((Place::Vector(register, _), _)) => {
                    places.push((Place::Vector(register, 0), 64));
                }
                Some((Place::General(register, _), _)) => {
                    places.push((Place::General(register, 0), 8));
                }
                Some((Place::Memory(_), _)) | None => {}
            }
        }
        for used in info.used_memory().iter().filter(|used| writes(used.access())) {
            if let Some(address) = address_of(step, used) {
                places.push((Place::Memory(address), used.memory_size().size()));
            }
        }
        let mut touch = Touch::default();
        for (place, size) in places {
            let mut strings = Vec::new();
            for at in 0..size {
                if let Some(part) = self.machine.part(place, at).filter(|part| part.index == 0) {
                    strings.push((moved_by(place, at), part.term));
                }
            }
            touch.writes.push(Write { place, size, strings });
        }
        touch.stack = Some(std::array::from_fn(|register| self.machine.stack(register as u8)));
        touch
    }
}

fn moved_by(place: Place, bytes: usize) -> Place {
    match place {
        Place::Vector(register, from) => Place::Vector(register, from + bytes as u8),
        Place::General(register, from) => Place::General(register, from + bytes as u8),
        Place::Memory(address) => Place::Memory(address.wrapping_add(bytes as u64)),
    }
}

/// The float that a string of bits encodes.
fn encoded(terms: &Terms, term: Term) -> Option<Format> {
    match terms.op(term) {
        Op::Float(Operation::ToBits, parameters) => Some(parameters.format),
        Op::Ite => terms.args(term)[1..].iter().find_map(|branch| encoded(terms, *branch)),
        _ => None,
    }
}

/// Whether a string or a float is exceptional in the run.
fn is_alive(terms: &Terms, evaluation: &mut Evaluation, term: Term) -> bool {
    if matches!(terms.sort(term), Sort::Float(_)) {
        return is_exceptional(evaluation.value(term));
    }
    let Some(format) = encoded(terms, term) else { return false };
    let value = evaluation.value(term);
    value.as_bits().is_some_and(|bits| {
        bits.width() == format.width()
            && is_exceptional(&nanoscope_term::Value::float(format, bits.clone()))
    })
}

/// The events of a run, in order.
pub fn events(trace: &Trace) -> Vec<Event> {
    let mut terms = Terms::new();
    let mut lifter = Lifter::new(&mut terms);
    let inputs = lifter.enter(&trace.arguments);
    let mut touches: Vec<(Touch, Instruction)> = Vec::new();
    for step in &trace.steps {
        let instruction = super::decode(step);
        let info = lifter.factory.info(&instruction).clone();
        let reads = lifter.reads(step, &info);
        lifter.step(step);
        let mut touch = lifter.writes(step, &info);
        touch.reads = reads;
        touches.push((touch, instruction));
    }
    let mut computed: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
    for result in lifter.computed() {
        computed.entry(result.step).or_default().push(result.float);
    }
    let model = entry_model(&terms, &inputs, trace);
    let mut evaluation = Evaluation::new(&terms, &model);
    let mut alive: BTreeMap<Place, Term> = BTreeMap::new();
    for input in &inputs {
        let element = &trace.arguments[input.argument].elements[input.element];
        if let Some(place) = super::place_of(element.place)
            && is_alive(&terms, &mut evaluation, input.float)
        {
            alive.insert(place, input.float);
        }
    }
    let mut stack: [Option<Term>; 8] = [None; 8];
    let mut formatter = IntelFormatter::new();
    let mut events = Vec::new();
    for (number, (touch, instruction)) in touches.iter().enumerate() {
        let read = touch.reads.iter().any(|term| is_alive(&terms, &mut evaluation, *term));
        let mut before: BTreeSet<Place> = BTreeSet::new();
        let mut after: BTreeSet<Place> = BTreeSet::new();
        for Write { place, size, strings } in &touch.writes {
            let end = moved_by(*place, size.saturating_sub(1));
            before.extend(alive.range(*place..=end).map(|(place, _)| *place));
            for (place, term) in strings {
                if is_alive(&terms, &mut evaluation, *term) {
                    after.insert(*place);
                    alive.insert(*place, *term);
                }
            }
        }
        for place in before.difference(&after) {
            alive.remove(place);
        }
        let mut killed = before.difference(&after).next().is_some();
        let mut fresh = after.difference(&before).next().is_some() || read && !after.is_empty();
        if let Some(new) = touch.stack {
            for (old, new) in stack.iter().zip(&new) {
                let was = old.is_some_and(|term| is_alive(&terms, &mut evaluation, term));
                let is = new.is_some_and(|term| is_alive(&terms, &mut evaluation, term));
                killed |= was && !is;
                fresh |= is && old != new;
            }
            stack = new;
        }
        let made = computed.get(&number).map_or(&[][..], Vec::as_slice);
        let generated =
            !read && fresh && made.iter().any(|float| is_alive(&terms, &mut evaluation, *float));
        let on_stack = stack
            .iter()
            .filter(|term| term.is_some_and(|term| is_alive(&terms, &mut evaluation, term)))
            .count();
        let propagated = fresh && !generated;
        if generated || propagated || killed || read {
            let mut disassembly = String::new();
            formatter.format(instruction, &mut disassembly);
            events.push(Event {
                step: number,
                address: trace.steps[number].address,
                disassembly,
                generated,
                propagated,
                killed,
                read,
                alive: alive.len() + on_stack,
            });
        }
    }
    events
}
