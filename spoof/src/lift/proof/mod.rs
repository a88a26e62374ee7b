//! Lifting proved instruction by instruction: every form that is lifted is executed by the
//! processor on boundary and random operands, and what it leaves in registers, flags and memory
//! is compared with the values of the lifted terms.
//!
//! A form is lifted once, from one execution, and its terms are evaluated for that execution
//! and for another one with other values of the unknowns. So a lost dependency shows as well as
//! a wrong term: a byte left concrete must be the same in both.

mod inputs;
mod operands;
mod processor;

pub(crate) use processor::Area;

use super::symbolic_state::{Part, Place, Status};
use super::{Lifter, decode, is_in, x87};
use crate::trace::{Memory, Step};
use iced_x86::{Code, CpuidFeature, FlowControl, Instruction, Mnemonic};
use inputs::{Input, Unknown, choose, introduce, model, number, physical, refill};
use nanoscope_ieee::{self as ieee, Datum, Flags, Format, Operation, Rounding, Word};
use nanoscope_term::{Evaluation, Model, Op, Term, Terms, Value, evaluate};
use operands::Random;
use processor::{Processor, SCRATCH_SIZE};
use std::collections::{BTreeMap, BTreeSet};

/// The format of the float that a string encodes, through choices.
fn encodes(terms: &Terms, term: Term) -> Option<Format> {
    match terms.op(term) {
        Op::Float(Operation::ToBits, parameters) => Some(parameters.format),
        Op::Ite => terms.args(term)[1..].iter().find_map(|branch| encodes(terms, *branch)),
        // `x - x` is written as a choice of known strings.
        Op::Value(_) => {
            let bits = terms.value(term)?.as_bits()?;
            let format = [Format::BINARY16, Format::BINARY32, Format::BINARY64]
                .into_iter()
                .find(|format| format.width() == bits.width())?;
            is_nan(format, u128::try_from(bits.to_big()).ok()?).then_some(format)
        }
        _ => None,
    }
}

fn is_nan(format: Format, bits: u128) -> bool {
    let exponent = Word::run(format.width(), format.fraction_bits(), format.exponent_bits);
    let exponent = exponent.to_u128().unwrap();
    let fraction = (1u128 << format.fraction_bits()) - 1;
    bits & exponent == exponent && bits & fraction != 0
}

/// Both executions beside the lifted terms.
struct Proof<'a> {
    lifter: Lifter<'a>,
    models: [Model; 2],
    after: [Input; 2],
    scratch: u64,
    flushes: bool,
}

impl Proof<'_> {
    /// Compares bytes from a place on.
    fn bytes(&self, place: Place, size: usize) -> Result<(), String> {
        let mut at = 0;
        while at < size {
            let Some(first) = self.lifter.machine.part(place, at) else {
                let both = [0, 1].map(|run| self.after[run].bytes(place, size, self.scratch));
                // A known NaN may come with any payload.
                let is_nan = |size: usize, format: Format| {
                    let from = at / size * size;
                    both.iter().all(|all| is_nan(format, number(&all[from..from + size])))
                };
                if both[0][at] != both[1][at]
                    && !is_nan(2, Format::BINARY16)
                    && !is_nan(4, Format::BINARY32)
                    && !is_nan(8, Format::BINARY64)
                {
                    return Err(format!("{place:x?} byte {at} is concrete but depends"));
                }
                at += 1;
                continue;
            };
            let width = self.lifter.terms.width(first.term) as usize / 8;
            let is_whole = first.index == 0
                && (0..width).all(|i| {
                    let part = Part { term: first.term, index: i as u8 };
                    self.lifter.machine.part(place, at + i) == Some(part)
                });
            let length = if is_whole { width } else { 1 };
            for run in [0, 1] {
                let native = self.after[run].bytes(place, size, self.scratch);
                let native = number(&native[at..at + length]);
                let value = evaluate(self.lifter.terms, &self.models[run], first.term);
                let lifted = value.as_bits().unwrap().to_big();
                let lifted = (lifted >> (8 * first.index as usize))
                    & ((num_bigint::BigUint::from(1u32) << (8 * length)) - 1u32);
                let lifted = u128::try_from(lifted).unwrap();
                let format = encodes(self.lifter.terms, first.term).filter(|_| is_whole);
                if lifted != native && !format.is_some_and(|f| self.is_close(f, lifted, native)) {
                    return Err(format!(
                        "{place:x?} byte {at}: lifted {lifted:#x}, processor {native:#x}"
                    ));
                }
            }
            at += length;
        }
        Ok(())
    }

    /// NaNs alike; and the smallest normal number where the processor flushed what rounds to it.
    fn is_close(&self, format: Format, lifted: u128, native: u128) -> bool {
        let magnitude = (1u128 << (format.width() - 1)) - 1;
        is_nan(format, lifted) && is_nan(format, native)
            || self.flushes
                && lifted & magnitude == 1 << format.fraction_bits()
                && native & magnitude == 0
    }

    fn truth(&self, term: Option<Term>, native: [bool; 2], what: &str) -> Result<(), String> {
        let Some(term) = term else {
            return match native[0] == native[1] {
                true => Ok(()),
                false => Err(format!("{what} is concrete but depends")),
            };
        };
        for run in [0, 1] {
            let lifted = evaluate(self.lifter.terms, &self.models[run], term).as_bool().unwrap();
            if lifted != native[run] {
                return Err(format!("{what}: lifted {lifted}, processor {}", native[run]));
            }
        }
        Ok(())
    }

    fn all(&self, instruction: &Instruction, use_masks: bool) -> Result<(), String> {
        let (vectors, size) = if use_masks { (32, 64) } else { (16, 32) };
        for register in 0..vectors {
            self.bytes(Place::Vector(register, 0), size)?;
        }
        for register in (0..16).filter(|register| *register != 4) {
            self.bytes(Place::General(register, 0), 8)?;
        }
        self.bytes(Place::Memory(self.scratch), SCRATCH_SIZE)?;
        let states = [&self.after[0].state, &self.after[1].state];
        for status in Status::ALL {
            if is_in(instruction.rflags_undefined(), status) {
                continue;
            }
            let native = states.map(|state| state.rflags & status.bit() != 0);
            self.truth(self.lifter.machine.status(status), native, &format!("{status:?}"))?;
        }
        if use_masks {
            for register in 0..8 {
                for bit in 0..64 {
                    let native = states.map(|state| state.masks[register] >> bit & 1 == 1);
                    let term = self.lifter.machine.mask(register as u8, bit);
                    self.truth(term, native, &format!("k{register} bit {bit}"))?;
                }
            }
        }
        for (code, bit) in self.lifter.machine.codes().into_iter().zip([8, 10, 14]) {
            if code.is_some() {
                let native = states.map(|state| state.x87.status >> bit & 1 == 1);
                self.truth(code, native, &format!("condition code bit {bit}"))?;
            }
        }
        self.stack()
    }

    /// Compares the x87 registers that are in use.
    fn stack(&self) -> Result<(), String> {
        for i in 0..8 {
            let register = physical(&self.after[0].state, i);
            if self.after[0].state.x87.in_use >> register & 1 == 0 {
                continue;
            }
            let native = [0, 1].map(|run| x87::decoded(&self.after[run].state.x87.stack[i]));
            match self.lifter.machine.stack(register) {
                None if native[0] == native[1] => {}
                None => return Err(format!("st({i}) is concrete but depends")),
                Some(term) => {
                    for run in [0, 1] {
                        let lifted = evaluate(self.lifter.terms, &self.models[run], term);
                        if lifted != native[run] {
                            return Err(format!(
                                "st({i}): lifted {lifted:?}, processor {:?}",
                                native[run]
                            ));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Compares the exceptions that the lifted operations raise with those in MXCSR.
    fn exceptions(&self) -> Result<(), String> {
        for run in [0, 1] {
            let mut expected = Flags::NONE;
            let mut evaluation = Evaluation::new(self.lifter.terms, &self.models[run]);
            for computed in self.lifter.computed() {
                let Some(flags) = raised(self.lifter.terms, &mut evaluation, computed.float) else {
                    return Ok(());
                };
                expected |= flags;
            }
            let mxcsr = self.after[run].state.mxcsr;
            let native = Flags {
                invalid: mxcsr & 1 != 0,
                divide_by_zero: mxcsr & 4 != 0,
                overflow: mxcsr & 8 != 0,
                underflow: mxcsr & 16 != 0,
                inexact: mxcsr & 32 != 0,
                tiny: false,
            };
            if expected.standard() != native {
                return Err(format!(
                    "exceptions: lifted {}, processor {native}",
                    expected.standard()
                ));
            }
        }
        Ok(())
    }
}

/// What an operation raises on the values of its arguments; none where it is no single one.
fn raised(terms: &Terms, evaluation: &mut Evaluation, float: Term) -> Option<Flags> {
    let Op::Float(operation, parameters) = terms.op(float) else { return None };
    if matches!(operation, Operation::RoundToIntegral) {
        return None; // inexact is suppressed by a bit of the immediate
    }
    let operands = terms.args(float).to_vec();
    let operands = operands
        .iter()
        .map(|arg| match evaluation.value(*arg) {
            Value::Float(_, bits) => Datum::Float(bits.clone()),
            Value::Rounding(mode) => Datum::Rounding(Word::new(3, *mode as u128)),
            Value::Bits(bits) => Datum::Bits(bits.clone()),
            other => panic!("an operand {other:?}"),
        })
        .collect::<Vec<_>>();
    Some(ieee::evaluate(operation, &parameters, &operands).ok()?.1)
}

/// Whether the processor has what an instruction needs.
fn is_available(code: Code) -> bool {
    use CpuidFeature as F;
    code.cpuid_features().iter().all(|feature| match feature {
        F::INTEL8086 | F::INTEL8086_ONLY | F::INTEL186 | F::INTEL286 | F::INTEL386 => true,
        F::INTEL486 | F::X64 | F::FPU | F::FPU287 | F::FPU387 | F::CMOV => true,
        F::SSE | F::SSE2 => true,
        F::SSE3 => std::arch::is_x86_feature_detected!("sse3"),
        F::SSSE3 => std::arch::is_x86_feature_detected!("ssse3"),
        F::SSE4_1 => std::arch::is_x86_feature_detected!("sse4.1"),
        F::SSE4_2 => std::arch::is_x86_feature_detected!("sse4.2"),
        F::AVX => std::arch::is_x86_feature_detected!("avx"),
        F::AVX2 => std::arch::is_x86_feature_detected!("avx2"),
        F::FMA => std::arch::is_x86_feature_detected!("fma"),
        F::F16C => std::arch::is_x86_feature_detected!("f16c"),
        F::BMI1 => std::arch::is_x86_feature_detected!("bmi1"),
        F::BMI2 => std::arch::is_x86_feature_detected!("bmi2"),
        F::POPCNT => std::arch::is_x86_feature_detected!("popcnt"),
        F::AVX512F => std::arch::is_x86_feature_detected!("avx512f"),
        F::AVX512VL => std::arch::is_x86_feature_detected!("avx512vl"),
        F::AVX512DQ => std::arch::is_x86_feature_detected!("avx512dq"),
        F::AVX512BW => std::arch::is_x86_feature_detected!("avx512bw"),
        _ => false,
    })
}

/// Whether an instruction can be executed between two others without a stack.
fn is_alone(code: Code) -> bool {
    use Mnemonic::*;
    code.op_code().mode64()
        && code.flow_control() == FlowControl::Next
        && !matches!(
            code.mnemonic(),
            Push | Pop
                | Fldcw
                | Fnstcw
                | Fnclex
                | Sahf
                | Xsave
                | Xsave64
                | Xsavec
                | Xsavec64
                | Xsaveopt
                | Xsaveopt64
                | Xrstor
                | Xrstor64
                | Fxsave
                | Fxsave64
                | Fxrstor
                | Fxrstor64
                | Ffree
        )
        && !format!("{code:?}").starts_with("VEX_Vgather")
}

/// What came of a form.
enum Tried {
    Proved,
    /// It is not lifted.
    Unlifted,
    /// It cannot be made or executed.
    Unfit,
}

fn prove(
    processor: &mut Processor,
    random: &mut Random,
    code: Code,
    in_memory: bool,
) -> Result<Tried, String> {
    let use_masks = std::arch::is_x86_feature_detected!("avx512f");
    let scratch = processor.scratch();
    let Some(instruction) = operands::instruction(code, in_memory, scratch, random) else {
        return Ok(Tried::Unfit);
    };
    let mut memory = [0; SCRATCH_SIZE];
    random.fill(&mut memory, false);
    let mut first = Input { state: operands::state(random), memory };
    let mut unknowns = choose(random, &mut first, scratch, use_masks);
    let is_extended = instruction.memory_size() == iced_x86::MemorySize::Float80;
    if is_extended {
        // Encodings that the unit does not support are no unknowns of any caller.
        unknowns.retain(|unknown| !matches!(unknown, Unknown::Float(Place::Memory(_), _)));
        first.memory[..10].copy_from_slice(&random.extended());
    }
    let Some((address, bytes)) = processor.prepare(&instruction) else {
        return Ok(Tried::Unfit);
    };
    first.state.rip = address;
    let mut second = first.clone();
    refill(random, &mut second, &unknowns, scratch, false);
    if is_extended && first.memory[..10] != second.memory[..10] {
        second.memory[..10].copy_from_slice(&random.extended());
    }
    let step = Step {
        address,
        code: bytes,
        before: first.state.clone(),
        reads: vec![Memory { address: scratch, bytes: first.memory.to_vec() }],
    };
    let decoded = decode(&step);
    if decoded.mnemonic() != code.mnemonic() {
        return Ok(Tried::Unfit); // `xchg ax,ax` is a `nop`
    }
    let mut terms = Terms::new();
    let mut lifter = Lifter::new(&mut terms);
    let variables = introduce(&mut lifter, &unknowns, &first.state);
    lifter.step(&step);
    if lifter.lifted() == 0 {
        return Ok(Tried::Unlifted);
    }
    let models =
        [&first, &second].map(|input| model(lifter.terms, &unknowns, &variables, input, scratch));
    let after = [&first, &second].map(|input| {
        let (state, memory) = processor.run(&input.state, &input.memory);
        Input { state, memory }
    });
    let flushes = first.state.mxcsr >> 15 & 1 == 1;
    let is_plain = first.state.mxcsr & (1 << 15 | 1 << 6) == 0;
    let proof = Proof { lifter, models, after, scratch, flushes };
    let describe = |why| format!("{decoded} (mxcsr {:x}): {why}", first.state.mxcsr);
    proof.all(&decoded, use_masks).map_err(describe)?;
    // Exceptions are compared where every lane was lifted and no signalling NaN can be.
    let all_floats = unknowns
        .iter()
        .all(|unknown| !matches!(unknown, Unknown::Bits(Place::Vector(..) | Place::Memory(_), _)));
    let unknown_vectors = unknowns
        .iter()
        .filter(|unknown| matches!(unknown, Unknown::Float(Place::Vector(_, 0), _)))
        .count();
    if is_plain && all_floats && unknown_vectors == 16 && !proof.lifter.computed().is_empty() {
        proof.exceptions().map_err(describe)?;
    }
    Ok(Tried::Proved)
}

/// Lifts a form that this processor cannot execute; whether it is lifted. That terms of the right
/// sorts come out is checked as they are made.
fn rehearse(processor: &mut Processor, random: &mut Random, code: Code, in_memory: bool) -> bool {
    let scratch = processor.scratch();
    let Some(instruction) = operands::instruction(code, in_memory, scratch, random) else {
        return false;
    };
    let Some((address, bytes)) = processor.prepare(&instruction) else { return false };
    let mut state = operands::state(random);
    state.rip = address;
    state.masks = std::array::from_fn(|_| random.next());
    let mut input = Input { state, memory: [0; SCRATCH_SIZE] };
    let unknowns = choose(random, &mut input, scratch, true);
    let step = Step {
        address,
        code: bytes,
        before: input.state.clone(),
        reads: vec![Memory { address: scratch, bytes: input.memory.to_vec() }],
    };
    let mut terms = Terms::new();
    let mut lifter = Lifter::new(&mut terms);
    introduce(&mut lifter, &unknowns, &input.state);
    lifter.step(&step);
    lifter.lifted() > 0
}

/// Every form of every instruction, as often as asked.
fn check(times: usize, seed: u64) {
    let mut processor = Processor::new();
    let mut proved: BTreeSet<String> = BTreeSet::new();
    let mut lacking: BTreeSet<String> = BTreeSet::new();
    let mut rehearsed: BTreeSet<String> = BTreeSet::new();
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    for code in Code::values().filter(|code| is_alone(*code)) {
        let mnemonic = format!("{:?}", code.mnemonic()).to_lowercase();
        if !is_available(code) {
            lacking.insert(mnemonic.clone());
            for in_memory in [false, true] {
                let mut random = Random(seed ^ (code as u64) << 1 ^ u64::from(in_memory));
                for _ in 0..4 {
                    if rehearse(&mut processor, &mut random, code, in_memory) {
                        rehearsed.insert(mnemonic.clone());
                    }
                }
            }
            continue;
        }
        for in_memory in [false, true] {
            let mut random = Random(seed ^ (code as u64) << 1 ^ u64::from(in_memory));
            let mut unlifted = 0;
            for _ in 0..times {
                match prove(&mut processor, &mut random, code, in_memory) {
                    Ok(Tried::Proved) => {
                        proved.insert(mnemonic.clone());
                    }
                    Ok(Tried::Unlifted) => unlifted += 1,
                    Ok(Tried::Unfit) => break,
                    Err(why) => {
                        wrong.entry(format!("{code:?}")).or_insert(why);
                    }
                }
                if unlifted == 8 {
                    break;
                }
            }
        }
    }
    lacking.retain(|name| !proved.contains(name));
    println!("proved on this processor: {} instructions", proved.len());
    println!("{}", proved.iter().cloned().collect::<Vec<_>>().join(" "));
    println!("not tried, the processor lacks their extensions: {} instructions", lacking.len());
    println!("of these lifted, but compared with no processor: {} instructions", rehearsed.len());
    for why in wrong.values() {
        println!("{why}");
    }
    assert!(wrong.is_empty(), "{} forms are wrong", wrong.len());
    assert!(proved.len() > 400, "only {} instructions were proved", proved.len());
}

#[test]
fn every_form_is_as_the_processor_has_it() {
    check(12, 1);
}

#[test]
fn a_jump_goes_where_its_condition_says() {
    for condition in 0..16u8 {
        let mut random = Random(u64::from(condition));
        for _ in 0..40 {
            let mut state = operands::state(&mut random);
            state.rip = 0x1000;
            let step = Step {
                address: 0x1000,
                code: vec![0x70 | condition, 0],
                before: state.clone(),
                reads: Vec::new(),
            };
            let mut terms = Terms::new();
            let mut lifter = Lifter::new(&mut terms);
            let unknowns = Status::ALL.map(Unknown::Status);
            let variables = introduce(&mut lifter, &unknowns, &state);
            lifter.step(&step);
            assert_eq!(lifter.path().len(), 1);
            let holds = lifter.path()[0].holds;
            let input = Input { state, memory: [0; SCRATCH_SIZE] };
            let model = model(lifter.terms, &unknowns, &variables, &input, 0);
            assert_eq!(evaluate(lifter.terms, &model, holds), Value::Bool(true));
        }
    }
}

#[test]
fn rounding_modes_are_those_of_the_control_registers() {
    use super::context::mode;
    let all = [Rounding::NearestEven, Rounding::Downward, Rounding::Upward, Rounding::TowardZero];
    assert_eq!([0, 1, 2, 3].map(mode), all);
}
