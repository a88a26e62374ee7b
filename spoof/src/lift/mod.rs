//! Lifting: a trace as terms over the unknown elements of the arguments.
//!
//! The trace knows every register and the memory read; the symbolic state ([`symbolic_state`]) knows only what
//! depends on the unknowns. An instruction that touches nothing symbolic makes what it writes
//! concrete. One that does becomes terms, by the module of its family, and a branch that it
//! decides becomes a path condition. An instruction that cannot be lifted is named, and its
//! result taken as concrete: that can lose a solution, never invent a finding, since every
//! solution is run natively.
//!
//! A term has one NaN, whose sign bit is clear; the payload and sign of the processor's NaNs are
//! not modelled. Where MXCSR flushes subnormal results, a result that rounds up to the smallest
//! normal number is kept.

mod context;
mod events;
mod float;
mod general;
mod logic;
mod mask;
mod permute;
#[cfg(test)]
mod proof;
#[cfg(test)]
pub(crate) mod stepper;
mod symbolic_state;
mod vector;
mod x87;

pub use context::Unlifted;
pub use events::{Event, events};

use crate::prototype::{self, Argument};
use crate::trace::{Memory, State, Step, Trace};
use context::{Context, address_register, register_place};
use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, UsedMemory,
};
use nanoscope_ieee::{Format, Operation, Word};
use nanoscope_term::{Sort, Term, Terms, Value};
use std::collections::{BTreeMap, HashMap};
use symbolic_state::{Effect, Place, Status, SymbolicState};

/// A branch that depended on the unknowns, or an address that did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The number of its step.
    pub step: usize,
    /// What holds where it goes as in the trace.
    pub holds: Term,
}

/// A float that an instruction computed from the unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The number of its step.
    pub step: usize,
    /// The lane of the destination.
    pub lane: u32,
    /// The result.
    pub float: Term,
}

/// An element of an argument, and its term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The number of the argument in the trace.
    pub argument: usize,
    /// The number of its element.
    pub element: usize,
    /// The unknown at entry, or the value at exit.
    pub float: Term,
}

/// A trace as terms.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The unknown inputs.
    pub inputs: Vec<Symbol>,
    /// What decided the path, in order.
    pub path: Vec<Branch>,
    /// What was computed, in order.
    pub computed: Vec<Computed>,
    /// The outputs at exit.
    pub outputs: Vec<Symbol>,
    /// Instructions on unknowns that were not lifted, and how often they came.
    pub unlifted: BTreeMap<String, usize>,
}

/// The format of a scalar of so many bits.
pub fn format_of(bits: u32) -> Option<Format> {
    match bits {
        16 => Some(Format::BINARY16),
        32 => Some(Format::BINARY32),
        64 => Some(Format::BINARY64),
        80 | 128 => Some(x87::EXTENDED),
        _ => None,
    }
}

/// The value that the ten bytes of an x87 register encode.
pub(crate) fn extended(bytes: &[u8; 10]) -> Value {
    x87::decoded(bytes)
}

/// The bits that a float has in memory: for a `long double` its ten bytes.
pub(crate) fn encoded(bits: &Word) -> u128 {
    let value = bits.to_u128().unwrap_or(0);
    if bits.width() != x87::EXTENDED.width() {
        return value;
    }
    let (sign_exponent, fraction) = (value >> 63, value & ((1 << 63) - 1));
    let integer = u128::from(sign_exponent & 0x7fff != 0) << 63;
    sign_exponent << 64 | integer | fraction
}

/// Lifts a trace: every referenced floating-point input is an unknown.
pub fn lift(trace: &Trace, terms: &mut Terms) -> Lifted {
    let mut lifter = Lifter::new(terms);
    let inputs = lifter.enter(&trace.arguments);
    for step in &trace.steps {
        lifter.step(step);
    }
    let outputs = lifter.leave(trace);
    let Lifter { path, computed, unlifted, .. } = lifter;
    Lifted { inputs, path, computed, outputs, unlifted }
}

/// A trace being lifted, step by step.
pub struct Lifter<'t> {
    terms: &'t mut Terms,
    machine: SymbolicState,
    factory: InstructionInfoFactory,
    decoded: HashMap<u64, Instruction>,
    steps: usize,
    lifted: usize,
    path: Vec<Branch>,
    computed: Vec<Computed>,
    unlifted: BTreeMap<String, usize>,
}

impl<'t> Lifter<'t> {
    /// Nothing symbolic yet.
    pub fn new(terms: &'t mut Terms) -> Lifter<'t> {
        Lifter {
            terms,
            machine: SymbolicState::new(),
            factory: InstructionInfoFactory::new(),
            decoded: HashMap::new(),
            steps: 0,
            lifted: 0,
            path: Vec::new(),
            computed: Vec::new(),
            unlifted: BTreeMap::new(),
        }
    }

    /// Where the terms are.
    pub fn terms(&mut self) -> &mut Terms {
        self.terms
    }

    /// What decided the path so far.
    pub fn path(&self) -> &[Branch] {
        &self.path
    }

    /// What was computed so far.
    pub fn computed(&self) -> &[Computed] {
        &self.computed
    }

    /// How many instructions were lifted so far.
    pub fn lifted(&self) -> usize {
        self.lifted
    }

    /// Instructions on unknowns that were not lifted so far.
    pub fn unlifted(&self) -> &BTreeMap<String, usize> {
        &self.unlifted
    }

    /// Makes every referenced floating-point input an unknown, named after its element.
    pub fn enter(&mut self, arguments: &[Argument]) -> Vec<Symbol> {
        let mut inputs = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let Some(format) = format_of(argument.bits).filter(|_| argument.kind.is_float()) else {
                continue;
            };
            for (at, element) in argument.elements.iter().enumerate() {
                let Some(place) = place_of(element.place).filter(|_| element.input) else {
                    continue;
                };
                // Arguments that overlap share their first unknown.
                if self.machine.part(place, 0).is_none() {
                    let float = self.terms.variable(&element.name, Sort::Float(format));
                    let bits = encoding(self.terms, float);
                    self.put(place, bits);
                    inputs.push(Symbol { argument: number, element: at, float });
                }
            }
        }
        inputs
    }

    fn put(&mut self, place: Place, bits: Term) {
        let bytes = self.terms.width(bits) / 8;
        let parts = (0..bytes as u8).map(|index| Some(symbolic_state::Part { term: bits, index }));
        self.machine.write(place, parts);
    }

    /// The floating-point outputs as they are now, at the end of a trace.
    pub fn leave(&mut self, trace: &Trace) -> Vec<Symbol> {
        let mut outputs = Vec::new();
        for (number, argument) in trace.arguments.iter().enumerate() {
            let Some(format) = format_of(argument.bits).filter(|_| argument.kind.is_float()) else {
                continue;
            };
            for (at, element) in argument.elements.iter().enumerate() {
                if !element.output {
                    continue;
                }
                let float = self.float_at(element.place, format, &trace.exit, &trace.memory_after);
                if let Some(float) = float {
                    outputs.push(Symbol { argument: number, element: at, float });
                }
            }
        }
        outputs
    }

    /// The float in a place: a term where it is symbolic, else what registers and memory hold.
    fn float_at(
        &mut self,
        place: prototype::Place,
        format: Format,
        state: &State,
        memory: &[Memory],
    ) -> Option<Term> {
        if let prototype::Place::X87(index) = place {
            let top = (state.x87.status >> 11 & 7) as u8;
            let known = x87::decoded(&state.x87.stack[usize::from(index)]);
            return Some(match self.machine.stack((top + index) & 7) {
                Some(float) => float,
                None => self.terms.constant(known),
            });
        }
        let place = place_of(place)?;
        let size = if format == x87::EXTENDED { 10 } else { format.width() as usize / 8 };
        // A step that does nothing, whose registers and memory are those asked about.
        let step =
            Step { address: 0, code: Vec::new(), before: state.clone(), reads: memory.to_vec() };
        let instruction = Instruction::default();
        let mut context = Context {
            instruction: &instruction,
            step: &step,
            machine: &self.machine,
            terms: self.terms,
            effects: Vec::new(),
        };
        let bytes = context.bytes_at(place, size).ok()?;
        Some(if format == x87::EXTENDED {
            x87::from_encoding(&mut context, &bytes)
        } else {
            context.float_as_is(format, &bytes)
        })
    }

    /// Lifts the next instruction.
    pub fn step(&mut self, step: &Step) {
        let number = self.steps;
        self.steps += 1;
        let instruction = *self.decoded.entry(step.address).or_insert_with(|| decode(step));
        let info = self.factory.info(&instruction).clone();
        let touched = self.touched(step, &instruction, &info);
        let mnemonic = instruction.mnemonic();
        let is_x87 = x87::is_x87(mnemonic);
        let mut effects = Vec::new();
        if touched || is_x87 {
            let mut context = Context {
                instruction: &instruction,
                step,
                machine: &self.machine,
                terms: self.terms,
                effects: Vec::new(),
            };
            addresses(&mut context);
            let known = context.effects.len();
            let outcome = if is_x87 {
                x87::lift(&mut context, mnemonic)
            } else {
                float::lift(&mut context, mnemonic)
                    .or_else(|| logic::lift(&mut context, mnemonic))
                    .or_else(|| permute::lift(&mut context, mnemonic))
                    .or_else(|| vector::lift(&mut context, mnemonic))
                    .or_else(|| general::lift(&mut context, mnemonic))
                    .or_else(|| mask::lift(&mut context, mnemonic))
            };
            effects = context.effects;
            match outcome.unwrap_or(Err(Unlifted::Instruction)) {
                Ok(()) => self.lifted += 1,
                Err(_) if mnemonic == Mnemonic::Vzeroupper => {}
                Err(why) => {
                    effects.truncate(known);
                    if touched || self.machine.touches_x87() {
                        self.note_unlifted(mnemonic, why);
                    }
                    if is_x87 {
                        self.machine.clear_x87();
                    }
                }
            }
        }
        self.clear_written(step, &instruction, &info);
        for effect in &effects {
            self.machine.apply(effect);
            match effect {
                Effect::Path(holds) if self.terms.value(*holds).is_none() => {
                    self.path.push(Branch { step: number, holds: *holds });
                }
                Effect::Result(lane, float) => {
                    self.computed.push(Computed { step: number, lane: *lane, float: *float });
                }
                _ => {}
            }
        }
    }

    fn note_unlifted(&mut self, mnemonic: Mnemonic, why: Unlifted) {
        let name = format!("{mnemonic:?}").to_lowercase();
        let name = match why {
            Unlifted::Instruction => name,
            Unlifted::Form => format!("{name} with these operands"),
        };
        *self.unlifted.entry(name).or_default() += 1;
    }

    /// Whether an instruction reads anything symbolic.
    fn touched(
        &self,
        step: &Step,
        instruction: &Instruction,
        info: &iced_x86::InstructionInfo,
    ) -> bool {
        let reads = |access: OpAccess| {
            !matches!(access, OpAccess::None | OpAccess::Write | OpAccess::NoMemAccess)
        };
        let registers = info.used_registers().iter().any(|used| {
            reads(used.access())
                && if used.register().is_k() {
                    self.machine.touches_mask(used.register().number() as u8)
                } else {
                    register_place(used.register())
                        .is_some_and(|(place, size)| self.machine.touches(place, size))
                }
        });
        let memory = || {
            info.used_memory().iter().any(|used| {
                reads(used.access())
                    && address_of(step, used).is_some_and(|address| {
                        let size = used.memory_size().size().max(1);
                        self.machine.touches(Place::Memory(address), size)
                    })
            })
        };
        let status = || {
            let read = instruction.rflags_read();
            Status::ALL
                .iter()
                .any(|status| is_in(read, *status) && self.machine.status(*status).is_some())
        };
        registers
            || memory()
            || status()
            || string_place(step, instruction, 6)
                .is_some_and(|(place, size)| self.machine.touches(place, size))
            || instruction.is_save_restore_instruction()
    }

    /// Makes everything that an instruction writes concrete.
    fn clear_written(
        &mut self,
        step: &Step,
        instruction: &Instruction,
        info: &iced_x86::InstructionInfo,
    ) {
        match instruction.mnemonic() {
            Mnemonic::Vzeroupper => {
                for register in 0..16 {
                    self.machine.clear(Place::Vector(register, 16), 48);
                }
                return;
            }
            Mnemonic::Xrstor | Mnemonic::Xrstor64 | Mnemonic::Fxrstor | Mnemonic::Fxrstor64 => {
                return;
            }
            _ => {}
        }
        let clears_above = instruction.encoding() != EncodingKind::Legacy;
        for used in info.used_registers() {
            let register = used.register();
            if !writes(used.access()) {
                continue;
            }
            if register.is_k() {
                self.machine.clear_mask(register.number() as u8);
            } else if let Some((place, size)) = register_place(register) {
                let size = match place {
                    Place::Vector(..) if clears_above => 64,
                    Place::General(..) if size == 4 => 8,
                    _ => size,
                };
                self.machine.clear(place, size);
            }
        }
        for used in info.used_memory() {
            if writes(used.access())
                && let Some(address) = address_of(step, used)
            {
                self.machine.clear(Place::Memory(address), used.memory_size().size());
            }
        }
        if let Some((place, size)) = string_place(step, instruction, 7) {
            self.machine.clear(place, size);
        }
        let modified = instruction.rflags_modified();
        for status in Status::ALL {
            if is_in(modified, status) {
                self.machine.clear_status(status);
            }
        }
    }
}

/// Addresses that depend on unknowns stay as they are in the trace.
fn addresses(context: &mut Context) {
    if context.instruction.mnemonic() == Mnemonic::Lea {
        return;
    }
    let has_memory = (0..context.instruction.op_count()).any(|n| context.is_memory(n));
    if !has_memory {
        return;
    }
    for register in [context.instruction.memory_base(), context.instruction.memory_index()] {
        let Some((place, size)) = register_place(register) else { continue };
        if matches!(place, Place::General(..)) && context.machine.touches(place, size) {
            let Ok(bytes) = context.bytes_at(place, size) else { continue };
            let term = context.bits(&bytes);
            let known = bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(byte.known));
            let known = context.terms.bits(8 * size as u32, known);
            let same = context.terms.equal(term, known);
            context.effects.push(Effect::Path(same));
        }
    }
}

/// The encoding of an unknown in memory.
fn encoding(terms: &mut Terms, float: Term) -> Term {
    if terms.format(float) == x87::EXTENDED {
        x87::encoding(terms, float)
    } else {
        terms.fp(Operation::ToBits, &[float])
    }
}

fn place_of(place: prototype::Place) -> Option<Place> {
    match place {
        prototype::Place::Memory(address) => Some(Place::Memory(address)),
        prototype::Place::General { register, byte } => Some(Place::General(register, byte)),
        prototype::Place::Vector { register, byte } => Some(Place::Vector(register, byte)),
        prototype::Place::X87(_) => None,
    }
}

pub(crate) fn decode(step: &Step) -> Instruction {
    Decoder::with_ip(64, &step.code, step.address, DecoderOptions::NONE).decode()
}

fn is_in(flags: u32, status: Status) -> bool {
    use iced_x86::RflagsBits;
    let bit = match status {
        Status::Carry => RflagsBits::CF,
        Status::Parity => RflagsBits::PF,
        Status::Adjust => RflagsBits::AF,
        Status::Zero => RflagsBits::ZF,
        Status::Sign => RflagsBits::SF,
        Status::Overflow => RflagsBits::OF,
    };
    flags & bit != 0
}

fn address_of(step: &Step, used: &UsedMemory) -> Option<u64> {
    used.virtual_address(0, |register, _, _| address_register(step, register))
}

/// Whether a register or memory that is used so may be written.
pub(super) fn writes(access: OpAccess) -> bool {
    use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

/// What one element of a string instruction reads (`register` 6, rsi) or writes (7, rdi).
fn string_place(step: &Step, instruction: &Instruction, register: usize) -> Option<(Place, usize)> {
    if !instruction.is_string_instruction() {
        return None;
    }
    let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    if repeats && step.before.general[1] == 0 {
        return None;
    }
    // `movs` and `stos`; the others only read there.
    let is_written = matches!(instruction.op0_kind(), OpKind::MemoryESRDI | OpKind::MemoryESEDI);
    let size = instruction.memory_size().size();
    (register == 6 || is_written).then(|| (Place::Memory(step.before.general[register]), size))
}
