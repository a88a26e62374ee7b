//! An execution's registers and memory, what of them is unknown to the lifter, and the values of that.

use super::operands::Random;
use super::processor::SCRATCH_SIZE;
use crate::lift::symbolic_state::{Effect, Place, Status};
use crate::lift::{Lifter, x87};
use crate::trace::State;
use nanoscope_ieee::{Format, Operation, Word};
use nanoscope_term::{Model, Sort, Term, Terms, Value};

/// An execution: registers and the memory operand before.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) state: State,
    pub(super) memory: [u8; SCRATCH_SIZE],
}

/// What of the machine is unknown.
#[derive(Clone, Copy)]
pub(super) enum Unknown {
    /// A string of so many bytes.
    Bits(Place, usize),
    /// The encoding of a float.
    Float(Place, Format),
    /// st(i).
    Stack(usize),
    Status(Status),
    Mask(u8, u8),
}

impl Input {
    pub(super) fn bytes(&self, place: Place, size: usize, scratch: u64) -> Vec<u8> {
        match place {
            Place::Vector(register, from) => {
                self.state.vectors[register as usize][from as usize..][..size].to_vec()
            }
            Place::General(register, from) => self.state.general[register as usize].to_le_bytes()
                [from as usize..][..size]
                .to_vec(),
            Place::Memory(address) => {
                let from = (address - scratch) as usize;
                self.memory[from..from + size].to_vec()
            }
        }
    }
}

pub(super) fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte))
}

/// Chooses what is unknown, and refills floats so that NaNs are those that terms have.
pub(super) fn choose(
    random: &mut Random,
    input: &mut Input,
    scratch: u64,
    use_masks: bool,
) -> Vec<Unknown> {
    let mut unknowns = Vec::new();
    let vector_size = if use_masks { 64 } else { 32 };
    let mut ranges: Vec<(Place, usize)> =
        (0..16).map(|register| (Place::Vector(register, 0), vector_size)).collect();
    ranges.push((Place::Memory(scratch), SCRATCH_SIZE));
    for (place, size) in ranges {
        if random.chance(6) {
            continue;
        }
        let kind = random.below(5);
        let element = [4, 8, 4, 8, 1][kind];
        for at in (0..size).step_by(element) {
            let lane = match place {
                Place::Vector(register, _) => Place::Vector(register, at as u8),
                Place::General(register, _) => Place::General(register, at as u8),
                Place::Memory(address) => Place::Memory(address + at as u64),
            };
            let format = if element == 4 { Format::BINARY32 } else { Format::BINARY64 };
            unknowns.push(match kind {
                0 | 1 => Unknown::Float(lane, format),
                _ => Unknown::Bits(lane, element),
            });
        }
    }
    for register in (0..16u8).filter(|register| *register != 4) {
        match random.below(6) {
            0 => {}
            1 => {
                (0..8).for_each(|at| unknowns.push(Unknown::Bits(Place::General(register, at), 1)))
            }
            2 => [0, 4]
                .into_iter()
                .for_each(|at| unknowns.push(Unknown::Bits(Place::General(register, at), 4))),
            _ => unknowns.push(Unknown::Bits(Place::General(register, 0), 8)),
        }
    }
    (0..7).filter(|_| !random.chance(6)).for_each(|i| unknowns.push(Unknown::Stack(i)));
    if !random.chance(4) {
        unknowns.extend(Status::ALL.map(Unknown::Status));
    }
    if use_masks {
        for register in 0..8 {
            if random.chance(2) {
                unknowns.extend((0..64).map(|bit| Unknown::Mask(register, bit)));
            }
        }
    }
    refill(random, input, &unknowns, scratch, true);
    unknowns
}

/// New values for the unknowns; or, at first, for the floats only.
pub(super) fn refill(
    random: &mut Random,
    input: &mut Input,
    unknowns: &[Unknown],
    scratch: u64,
    floats_only: bool,
) {
    for unknown in unknowns {
        match *unknown {
            Unknown::Float(place, format) => {
                let value = random.float(format.width()).to_le_bytes();
                set(input, place, &value[..format.width() as usize / 8], scratch);
            }
            _ if floats_only => {}
            Unknown::Bits(place, size) => {
                let mut bytes = [0; 8];
                match place {
                    Place::General(..) => bytes = random.integer().to_le_bytes(),
                    _ => random.fill(&mut bytes, false),
                }
                set(input, place, &bytes[..size], scratch);
            }
            Unknown::Stack(i) => input.state.x87.stack[i] = random.extended(),
            Unknown::Status(status) => input.state.rflags ^= random.next() & status.bit(),
            Unknown::Mask(register, bit) => {
                input.state.masks[register as usize] ^= (random.next() & 1) << bit;
            }
        }
    }
}

fn set(input: &mut Input, place: Place, bytes: &[u8], scratch: u64) {
    match place {
        Place::Vector(register, from) => {
            input.state.vectors[register as usize][from as usize..][..bytes.len()]
                .copy_from_slice(bytes);
        }
        Place::General(register, from) => {
            let mut all = input.state.general[register as usize].to_le_bytes();
            all[from as usize..][..bytes.len()].copy_from_slice(bytes);
            input.state.general[register as usize] = u64::from_le_bytes(all);
        }
        Place::Memory(address) => {
            input.memory[(address - scratch) as usize..][..bytes.len()].copy_from_slice(bytes);
        }
    }
}

/// The physical number of st(i).
pub(super) fn physical(state: &State, i: usize) -> u8 {
    (((state.x87.status >> 11 & 7) as usize + i) & 7) as u8
}

/// Makes the unknowns variables of the lifter's machine.
pub(super) fn introduce(lifter: &mut Lifter, unknowns: &[Unknown], state: &State) -> Vec<Term> {
    let mut variables = Vec::new();
    for (at, unknown) in unknowns.iter().enumerate() {
        let name = format!("v{at}");
        match *unknown {
            Unknown::Bits(place, size) => {
                let term = lifter.terms.variable(&name, Sort::Bits(8 * size as u32));
                lifter.put(place, term);
                variables.push(term);
            }
            Unknown::Float(place, format) => {
                let term = lifter.terms.variable(&name, Sort::Float(format));
                let bits = lifter.terms.fp(Operation::ToBits, &[term]);
                lifter.put(place, bits);
                variables.push(term);
            }
            Unknown::Stack(i) => {
                let term = lifter.terms.variable(&name, Sort::Float(x87::EXTENDED));
                lifter.machine.apply(&Effect::Stack(physical(state, i), Some(term)));
                variables.push(term);
            }
            Unknown::Status(status) => {
                let term = lifter.terms.variable(&name, Sort::Bool);
                lifter.machine.apply(&Effect::Status(status, Some(term)));
                variables.push(term);
            }
            Unknown::Mask(register, bit) => {
                let term = lifter.terms.variable(&name, Sort::Bool);
                let mut bits: Vec<Option<Term>> =
                    (0..64).map(|bit| lifter.machine.mask(register, bit)).collect();
                bits[bit as usize] = Some(term);
                lifter.machine.apply(&Effect::Mask(register, bits));
                variables.push(term);
            }
        }
    }
    variables
}

/// The unknowns' values in an execution.
pub(super) fn model(
    terms: &Terms,
    unknowns: &[Unknown],
    variables: &[Term],
    input: &Input,
    scratch: u64,
) -> Model {
    let mut model = Model::new();
    for (unknown, variable) in unknowns.iter().zip(variables) {
        let value = match *unknown {
            Unknown::Bits(place, size) => {
                Value::bits(8 * size as u32, number(&input.bytes(place, size, scratch)))
            }
            Unknown::Float(place, format) => {
                let size = format.width() as usize / 8;
                let bits = Word::new(format.width(), number(&input.bytes(place, size, scratch)));
                Value::float(format, bits)
            }
            Unknown::Stack(i) => x87::decoded(&input.state.x87.stack[i]),
            Unknown::Status(status) => Value::Bool(input.state.rflags & status.bit() != 0),
            Unknown::Mask(register, bit) => {
                Value::Bool(input.state.masks[register as usize] >> bit & 1 == 1)
            }
        };
        model.set(terms.as_variable(*variable).unwrap(), value);
    }
    model
}
