//! Reports that no prototype describes: an integer that a run stores where the undisturbed one stores another, or
//! none. Such are `*err = 1`, and error numbers in variables of the library, of a module or of a COMMON block.

use super::code::decode;
use super::examine::Examined;
use crate::derive::{Channel, channel_by_name};
use crate::prototype::{Argument, Element, Kind, Place, Reader};
use crate::run::{Module, Worker};
use crate::trace::{Step, Trace};
use iced_x86::{CpuidFeature, Instruction, InstructionInfoFactory, OpAccess, Register};
use std::collections::BTreeMap;

/// Whether a run leaves an integer that tells of trouble in an argument that the undisturbed run leaves alone.
/// `others` are the elements that only this run references.
pub fn by_argument(
    others: &[(usize, Element)],
    arguments: &[Argument],
    worker: &mut Worker,
) -> bool {
    others.iter().any(|(number, element)| {
        let argument = &arguments[*number];
        let Place::Memory(address) = element.place else { return false };
        if argument.kind != Kind::Integer || !element.output || argument.base != Some(address) {
            return false;
        }
        let value = worker.read(address, (argument.bits / 8) as usize);
        value.is_some_and(|bytes| match channel_by_name(&argument.name) {
            Channel::Other | Channel::Whole | Channel::Success => true,
            Channel::Negative => crate::prototype::signed(&bytes) < 0,
        })
    })
}

/// Whether a run leaves another integer in a variable of its module than the undisturbed run, which is made here and
/// leaves 0 or what was there.
pub fn by_variable(
    examined: &Examined,
    worker: &mut Worker,
    module: &Module,
    trace: &Trace,
    most_steps: u64,
) -> bool {
    let stored = stored_integers(&trace.steps, module);
    let mut left: Vec<(u64, Vec<u8>)> = Vec::new();
    for (address, before) in &stored {
        left.extend(worker.read(*address, before.len()).map(|bytes| (*address, bytes)));
    }
    if left.is_empty() {
        return false;
    }
    let usual = examined.trace_within(worker, &trace.function, &[], None, most_steps);
    let Ok(Some(usual)) = usual else { return false };
    if !usual.returned {
        return false;
    }
    let stored_usually = stored_integers(&usual.steps, module);
    left.iter().any(|(address, bytes)| {
        let usually = match stored_usually.contains_key(address) {
            true => worker.read(*address, bytes.len()),
            false => stored.get(address).cloned(),
        };
        // What the undisturbed run leaves at another number than before counts or remembers something.
        let before = stored.get(address);
        usually.is_some_and(|usually| {
            let speaks = usually.iter().all(|byte| *byte == 0) || before == Some(&usually);
            speaks && usually != *bytes
        })
    })
}

/// The variables of a module that are stored to as integers, with what they held before.
fn stored_integers(steps: &[Step], module: &Module) -> BTreeMap<u64, Vec<u8>> {
    let mut factory = InstructionInfoFactory::new();
    let mut all = BTreeMap::new();
    for step in steps {
        let is_variable = |address: u64| {
            module.writable.iter().any(|(start, length)| address.wrapping_sub(*start) < *length)
        };
        // The loader stores too, when a function of another library is called for the first time.
        let own = (module.range.0..module.range.1).contains(&step.address);
        if !own || !step.reads.iter().any(|memory| is_variable(memory.address)) {
            continue;
        }
        let Some(instruction) = decode(step.address, &step.code) else { continue };
        if !stores_integer(&instruction, &mut factory) {
            continue;
        }
        for memory in step.reads.iter().filter(|memory| is_variable(memory.address)) {
            all.entry(memory.address).or_insert_with(|| memory.bytes.clone());
        }
    }
    all
}

fn stores_integer(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> bool {
    let floating = (0..instruction.op_count())
        .map(|k| instruction.op_register(k))
        .any(|register: Register| register.is_vector_register() || register.is_st());
    if floating || instruction.cpuid_features().contains(&CpuidFeature::FPU) {
        return false;
    }
    let info = factory.info(instruction);
    info.used_memory()
        .iter()
        .any(|memory| matches!(memory.access(), OpAccess::Write | OpAccess::ReadWrite))
}
