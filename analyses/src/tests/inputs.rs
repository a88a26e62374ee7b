//! Inputs on their way: from an exploration or a native run to a test, and from a test to a
//! native run.

use super::shapes::{Shape, Shapes};
use crate::numbers;
use nanoscope_explore as explore;
use nanoscope_native::whole::{Asked, Inputs, Manner, Run};
use nanoscope_program::{Member, Scalar, Target};
use nanoscope_report::{Asking, Given, Number, Test};
use std::collections::BTreeMap;

/// The inputs of a run, for people and for machines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    pub numbers: Vec<Number>,
    pub given: Vec<Given>,
}

const NONDET: &str = "__VERIFIER_nondet_";
/// What stands for every function of KLEE's that gives an unknown.
const SYMBOLIC: &str = "klee_make_symbolic";

impl Case {
    /// As an exploration tells them.
    pub fn explored(inputs: &[explore::Given], shapes: &Shapes) -> Case {
        let mut names = Names::default();
        let mut case = Case { numbers: Vec::new(), given: Vec::new() };
        for input in inputs {
            let (how, through) = asking(&input.how);
            let name = names.fresh(&input.name);
            let shape = shapes.get(&input.name).filter(|_| how == Asking::Unknown);
            match (input.scalar, shape) {
                (Some(scalar), _) => {
                    case.numbers.push(scalar_number(&name, scalar, &input.bytes));
                }
                (None, Some(shape)) => shaped(&mut case.numbers, &name, shape, &input.bytes),
                (None, None) => case.numbers.push(Number::memory(&name, &input.bytes)),
            }
            case.given.push(Given { name, how, through, bytes: Given::encoded(&input.bytes) });
        }
        case
    }

    /// As a native run asked for them.
    pub fn made_up(run: &Run, shapes: &Shapes) -> Case {
        let mut names = Names::default();
        let mut case = Case { numbers: Vec::new(), given: Vec::new() };
        for asked in &run.asked {
            let name = names.fresh(&asked.name);
            let bytes = Given::encoded(&asked.bytes);
            let (how, through) = match asked.manner {
                Manner::Clock => (Asking::Time, asked.name.clone()),
                Manner::Memory | Manner::Float | Manner::Integer | Manner::Ranged
                    if asked.name.starts_with(NONDET) =>
                {
                    (Asking::Unknown, asked.name.clone())
                }
                Manner::Memory | Manner::Float | Manner::Integer | Manner::Ranged => {
                    (Asking::Unknown, SYMBOLIC.to_owned())
                }
            };
            match (asked.manner, shapes.get(&asked.name)) {
                (Manner::Memory, Some(shape)) => {
                    shaped(&mut case.numbers, &name, shape, &asked.bytes);
                }
                (_, _) => case.numbers.push(asked_number(&name, asked)),
            }
            case.given.push(Given { name, how, through, bytes });
        }
        if !run.stdin.is_empty() {
            case.numbers.push(Number::memory("stdin", &run.stdin));
            case.given.push(Given {
                name: "stdin".to_owned(),
                how: Asking::Stdin,
                through: String::new(),
                bytes: Given::encoded(&run.stdin),
            });
        }
        case
    }

    /// Of a function's entry.
    pub fn of_words(target: &Target, words: &[u64]) -> Case {
        let numbers = numbers::inputs(target, words);
        let given = target.inputs.iter().map(|input| {
            let bits = numbers::encoding(words, input.word, input.scalar);
            let size = input.scalar.bits().div_ceil(8) as usize;
            Given {
                name: input.name.clone(),
                how: Asking::Parameter,
                through: String::new(),
                bytes: Given::encoded(&bits.to_le_bytes()[..size]),
            }
        });
        Case { given: given.collect(), numbers }
    }

    /// Of a test that was written.
    pub fn of_test(test: &Test) -> Case {
        Case { numbers: test.inputs.clone(), given: test.given.clone() }
    }

    /// The same, and what standard input holds on every run.
    pub fn with_stdin(mut self, bytes: &[u8]) -> Case {
        if !bytes.is_empty() && self.given.iter().all(|given| given.how != Asking::Stdin) {
            self.given.push(Given {
                name: "stdin".to_owned(),
                how: Asking::Stdin,
                through: String::new(),
                bytes: Given::encoded(bytes),
            });
        }
        self
    }

    /// For a native run.
    pub fn inputs(&self, target: Option<&Target>, stdin: &[u8]) -> Inputs {
        of_given(&self.given, target, stdin)
    }

    /// Whether a native run can be given all of it.
    pub fn is_whole(&self) -> bool {
        self.given.iter().all(|given| given.how != Asking::Never)
    }
}

/// What a native run is given; `stdin` is what it reads where that is not an input.
pub(crate) fn of_given(given: &[Given], target: Option<&Target>, stdin: &[u8]) -> Inputs {
    let mut inputs = Inputs { stdin: stdin.to_vec(), ..Inputs::default() };
    if let Some(target) = target {
        inputs.words = vec![0; target.input_words];
    }
    let mut reads = Vec::new();
    for given in given {
        let bytes = given.decoded().unwrap_or_default();
        match given.how {
            Asking::Unknown => inputs.unknowns.push(bytes),
            Asking::Time => inputs.times.push(bytes),
            Asking::Stdin => reads.extend(bytes),
            Asking::Parameter => {
                let input = target
                    .and_then(|target| target.inputs.iter().find(|input| input.name == given.name));
                let Some(input) = input else { continue };
                for (word, part) in inputs.words[input.word..].iter_mut().zip(bytes.chunks(8)) {
                    let mut whole = [0; 8];
                    whole[..part.len()].copy_from_slice(part);
                    *word = u64::from_le_bytes(whole);
                }
            }
            Asking::Never => {}
        }
    }
    if !reads.is_empty() {
        inputs.stdin = reads;
    }
    inputs
}

fn asking(how: &explore::How) -> (Asking, String) {
    match how {
        explore::How::MakeSymbolic => (Asking::Unknown, SYMBOLIC.to_owned()),
        explore::How::Nondet(suffix) => (Asking::Unknown, format!("{NONDET}{suffix}")),
        explore::How::Parameter => (Asking::Parameter, String::new()),
        explore::How::Stdin => (Asking::Stdin, String::new()),
        explore::How::Time => (Asking::Time, String::new()),
        explore::How::ExternalResult(name) => (Asking::Never, name.clone()),
        explore::How::Uninitialised => (Asking::Never, String::new()),
        explore::How::Unspecified(what) => (Asking::Never, what.clone()),
    }
}

/// Memory of a known shape, as numbers.
fn shaped(numbers: &mut Vec<Number>, name: &str, shape: &Shape, bytes: &[u8]) {
    match shape {
        Shape::Each(scalar) => alike(numbers, name, *scalar, bytes),
        Shape::Members(members) => {
            let end = |member: &Member| {
                member.offset as usize + member.scalar.bits().div_ceil(8) as usize
            };
            if members.iter().any(|member| end(member) > bytes.len()) {
                return numbers.push(Number::memory(name, bytes));
            }
            for member in members {
                let Member { path, type_name, scalar, .. } = member;
                let mut whole = [0; 16];
                let size = scalar.bits().div_ceil(8) as usize;
                whole[..size].copy_from_slice(&bytes[member.offset as usize..][..size]);
                let bits = u128::from_le_bytes(whole) & (u128::MAX >> (128 - scalar.bits()));
                numbers.push(numbers::number(&format!("{name}{path}"), type_name, *scalar, bits));
            }
        }
    }
}

/// Scalars of one sort, side by side.
fn alike(numbers: &mut Vec<Number>, name: &str, scalar: Scalar, bytes: &[u8]) {
    // Ten bytes of a long double lie in sixteen.
    let stride = (scalar.bits() as usize).div_ceil(8).next_power_of_two();
    if bytes.len() == stride {
        return numbers.push(scalar_number(name, scalar, bytes));
    }
    if !bytes.len().is_multiple_of(stride) {
        return numbers.push(Number::memory(name, bytes));
    }
    for (index, element) in bytes.chunks(stride).enumerate() {
        numbers.push(scalar_number(&format!("{name}[{index}]"), scalar, element));
    }
}

fn scalar_number(name: &str, scalar: Scalar, bytes: &[u8]) -> Number {
    let mut whole = [0; 16];
    let size = bytes.len().min(16);
    whole[..size].copy_from_slice(&bytes[..size]);
    let bits = u128::from_le_bytes(whole) & (u128::MAX >> (128 - scalar.bits()));
    numbers::number(name, numbers::type_name(scalar), scalar, bits)
}

fn asked_number(name: &str, asked: &Asked) -> Number {
    use nanoscope_ieee::Format;
    let size = asked.bytes.len();
    let integer = Scalar::Integer { bits: 8 * size as u32, signed: true };
    let scalar = match (asked.manner, size) {
        (Manner::Float, 2) => Some(Scalar::Float(Format::BINARY16)),
        (Manner::Float, 4) => Some(Scalar::Float(Format::BINARY32)),
        (Manner::Float, 8) => Some(Scalar::Float(Format::BINARY64)),
        (Manner::Float, 10) => Some(Scalar::Float(Format::X87)),
        (Manner::Float, 16) => Some(Scalar::Float(Format::BINARY128)),
        (Manner::Integer | Manner::Ranged | Manner::Clock, 1 | 2 | 4 | 8 | 16) => Some(integer),
        (Manner::Memory | Manner::Float | Manner::Integer | Manner::Ranged | Manner::Clock, _) => {
            None
        }
    };
    match scalar {
        Some(scalar) => scalar_number(name, scalar, &asked.bytes),
        None => Number::memory(name, &asked.bytes),
    }
}

/// Tells things of the same name apart: `x`, `x#2`, `x#3`.
#[derive(Default)]
struct Names(BTreeMap<String, u32>);

impl Names {
    fn fresh(&mut self, name: &str) -> String {
        let times = self.0.entry(name.to_owned()).or_default();
        *times += 1;
        match times {
            1 => name.to_owned(),
            times => format!("{name}#{times}"),
        }
    }
}
