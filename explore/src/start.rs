//! The start of a program: the state before its first instruction, and what its entry is given.

use crate::inputs::Unknown;
use crate::interpreter::access;
use crate::library::LOOKS_AT_FLAGS;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::path::Path;
use crate::persistent::List;
use crate::state::{Concretising, Stage, State, Then, Waiting};
use crate::trail::Track;
use crate::{Environment, How, Start, Value};
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{Code, FunctionId, Type};
use nanoscope_program::{Input, Scalar};
use nanoscope_term::{BitsOp, Model, Sort, Term, Terms, Value as Known};
use std::rc::Rc;

/// The state before a program's first instruction; the user's mistake where there is none.
pub fn start(machine: &mut Machine, memory: Memory, start: &Start) -> Result<State, String> {
    let looks = |name: &&str| machine.code.named(name).is_some();
    let environment =
        Environment { tracked: LOOKS_AT_FLAGS.iter().any(looks), ..Environment::default() };
    let mut state = State {
        frames: Vec::new(),
        registers: Vec::new(),
        locals: Vec::new(),
        stack: 0,
        memory,
        environment,
        path: Path::default(),
        inputs: List::default(),
        at_exit: Vec::new(),
        stage: Stage::Constructors(0),
        exit: (Value::Small(0), false),
        forks: 0,
        instructions: 0,
        found_new: false,
        assumptions: Rc::default(),
        remarks: Rc::default(),
        concretising: Concretising::No,
        preferences: Rc::default(),
        forks_no_more: false,
        handed: None,
        track: None,
        waiting: None,
    };
    let environment = machine.options.environment.clone();
    let variables =
        strings(machine, &mut state, environment.as_deref().unwrap_or_default(), "envp");
    machine.environment = if environment.is_some() { variables } else { 0 };
    match start {
        Start::Main { arguments } => {
            let main = machine.code.named("main").filter(|id| is_defined(machine.code, *id));
            let main = main.or_else(|| {
                machine.code.named("_QQmain").filter(|id| is_defined(machine.code, *id))
            });
            let main = main.ok_or("the program has no function `main`")?;
            let vector = strings(machine, &mut state, arguments, "argv");
            let given = [arguments.len() as u64, vector, variables].map(Value::Small);
            machine.entry = (main, given.to_vec());
        }
        Start::Target { entry, inputs, output_words, outputs: _ } => {
            let given = target(machine, &mut state, inputs, *output_words);
            machine.entry = (*entry, given);
        }
    }
    if machine.options.trails {
        state.track = Some(Rc::new(Track::new(state.path.conditions().len())));
    }
    Ok(state)
}

fn is_defined(code: &Code, id: FunctionId) -> bool {
    code.function(id).is_defined()
}

/// A vector of strings, a null pointer at its end: its address.
fn strings(machine: &mut Machine, state: &mut State, texts: &[String], name: &str) -> u64 {
    let mut addresses = Vec::new();
    for text in texts {
        let mut bytes = text.clone().into_bytes();
        bytes.push(0);
        addresses.push(access::given(machine, state, &bytes, &format!("{name}[...]")));
    }
    let vector: Vec<u8> =
        addresses.iter().chain([&0]).flat_map(|address| address.to_le_bytes()).collect();
    access::given(machine, state, &vector, name)
}

/// The input and the output vector of a target's entry.
fn target(
    machine: &mut Machine,
    state: &mut State,
    inputs: &[Input],
    output_words: usize,
) -> Vec<Value> {
    let words = inputs.iter().map(|input| input.word + input.scalar.words()).max().unwrap_or(0);
    let vector = access::given(machine, state, &vec![0; words.max(1) * 8], "inputs");
    let outputs = access::given(machine, state, &vec![0; output_words.max(1) * 8], "outputs");
    let mut model = Model::new();
    let mut hints = vec![Model::new(); machine.options.hints.len()];
    let mut conditions = Vec::new();
    let mut given = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let width = input.scalar.bits();
        let name = format!("{}#{number}", input.name);
        // Truth values have a bit of their own sort elsewhere; in a vector they are bits.
        let term = machine.terms.variable(&name, Sort::Bits(width));
        let variable = machine.terms.as_variable(term).expect("a variable");
        let value = plain(machine, state, input, term);
        given.push(value);
        let condition = admitted(machine, state, input, value);
        model
            .set(variable, Known::bits(width, first_value(&machine.terms, input, condition, term)));
        for (hint, point) in hints.iter_mut().zip(&machine.options.hints) {
            let word = |at: usize| point.get(at).map_or(0, |word| u128::from(*word));
            let bits = match input.scalar.words() {
                1 => word(input.word),
                _ => word(input.word) | word(input.word + 1) << 64,
            };
            hint.set(variable, Known::bits(width, bits & (u128::MAX >> (128 - width))));
        }
        conditions.push(condition);
        let room = 64 * input.scalar.words() as u32;
        let word = if width < room {
            machine.terms.bits_op(BitsOp::ZeroExtend(room - width), &[term])
        } else {
            term
        };
        let place = Value::Small(vector + 8 * input.word as u64);
        let stored = access::store(machine, state, &place, &Type::Integer(room), Value::Term(word));
        debug_assert!(stored.is_ok(), "the vector has room for its inputs");
        state.inputs.push(Rc::new(Unknown {
            name: input.name.clone(),
            how: How::Parameter,
            scalar: Some(input.scalar),
            size: u64::from(width.div_ceil(8)),
            pieces: vec![(0, term)],
        }));
    }
    hints.retain(|hint| nanoscope_term::holds(&machine.terms, hint, &conditions));
    state.path = Path::new(hints.first().cloned().unwrap_or(model));
    machine.hints = hints;
    for condition in conditions {
        state.path.assume(&mut machine.terms, condition);
    }
    if let Some(assumption) = &machine.options.assumption {
        let all = assumption.of(&mut machine.terms, &given);
        let condition = machine.terms.and(&all);
        // Nobody knows yet whether any input satisfies it.
        let then = Then::GoOn;
        state.waiting =
            Some(Waiting { condition, then, attempts: 0, why: None, heading: None, size: 0 });
    }
    vec![Value::Small(vector), Value::Small(outputs)]
}

/// An input's bits as what it is: a float as a float.
fn plain(machine: &mut Machine, state: &mut State, input: &Input, term: Term) -> Term {
    match input.scalar {
        Scalar::Integer { .. } => term,
        Scalar::Float(format) => {
            let mut compute = machine.compute(state);
            let value = compute.of_bits(term, &Type::Float(format));
            compute.float_term(&value, format)
        }
    }
}

/// What an input may be.
fn admitted(machine: &mut Machine, state: &mut State, input: &Input, value: Term) -> Term {
    let width = input.scalar.bits();
    match input.scalar {
        Scalar::Integer { signed, .. } => {
            let terms = &mut machine.terms;
            let (low, high) = (terms.bits(width, input.low), terms.bits(width, input.high));
            let order = if signed { BitsOp::Sle } else { BitsOp::Ule };
            let above = terms.bits_op(order, &[low, value]);
            let below = terms.bits_op(order, &[value, high]);
            terms.and(&[above, below])
        }
        Scalar::Float(format) => {
            let mut compute = machine.compute(state);
            let [low, high] = [input.low, input.high]
                .map(|bits| compute.float_term(&Value::bits(width, bits), format));
            let terms = &mut machine.terms;
            let above = terms.fp(Operation::LessEqual, &[low, value]);
            let below = terms.fp(Operation::LessEqual, &[value, high]);
            let within = terms.and(&[above, below]);
            if input.specials {
                let finite = terms.fp(Operation::IsFinite, &[value]);
                let special = terms.not(finite);
                terms.or(&[within, special])
            } else {
                within
            }
        }
    }
}

/// A value that an input may be: zero or one where that is admitted.
fn first_value(terms: &Terms, input: &Input, condition: Term, term: Term) -> u128 {
    let width = input.scalar.bits();
    let one = match input.scalar {
        Scalar::Integer { .. } => 1,
        Scalar::Float(format) if format.explicit_integer_bit => 0x3fff_8000_0000_0000_0000,
        Scalar::Float(format) => {
            ((1u128 << (format.exponent_bits - 1)) - 1) << format.fraction_bits()
        }
    };
    let variable = terms.as_variable(term).expect("a variable");
    let fits = |value: &u128| {
        let mut model = Model::new();
        model.set(variable, Known::bits(width, *value));
        nanoscope_term::holds(terms, &model, &[condition])
    };
    [one, 0, input.low].into_iter().find(fits).unwrap_or(input.low)
}
