//! Where an analysis starts: with the inputs of a target, or with `main`.

use crate::integers::Integers;
use crate::memory::address::{ObjectId, Offsets, Pointers};
use crate::memory::{Contents, Globals, Memory};
use crate::value::AbstractValue;
use nanoscope_ieee::Float;
use nanoscope_program::ir::{FunctionId, Type};
use nanoscope_program::{Input, Scalar, Target};
use nanoscope_sets::{Floats, Grid, Span};

/// Where an analysis starts.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// A target with its input space, through its entry.
    Target(&'a Target),
    /// A whole program from its `main`, with any arguments.
    Program(FunctionId),
    /// A function with any arguments, in any state of the program's variables.
    Function(FunctionId),
}

/// What each input may be: a part of the input space.
pub type Inputs = Vec<AbstractValue>;

/// All that an input may be.
pub fn admitted(input: &Input) -> AbstractValue {
    match input.scalar {
        Scalar::Float(format) => {
            let place = |bits: u128| Float::from_bits(format, bits).ordinal();
            let mut floats = Floats::between(format, place(input.low), place(input.high));
            // The ends are meant as numbers: either zero is zero.
            floats = floats.with_both_zeros();
            if input.specials {
                let infinity = Grid::of(format).infinity();
                let infinite = Span::new(infinity, infinity);
                floats.positive = floats.positive.join(infinite);
                floats.negative = floats.negative.join(infinite);
                floats.nan = true;
            }
            AbstractValue::float(floats)
        }
        Scalar::Integer { bits, signed } if bits <= Integers::WIDEST => {
            let (low, high) = if signed {
                let sign = |value: u128| ((value << (128 - bits)) as i128) >> (128 - bits);
                (sign(input.low), sign(input.high))
            } else {
                (input.low as i128, input.high as i128)
            };
            AbstractValue::Integer(Integers::wrapped(bits, low, high))
        }
        Scalar::Integer { .. } => AbstractValue::Anything,
    }
}

/// Memory with the vectors of inputs and outputs, and the arguments of the entry.
pub fn vectors(
    target: &Target,
    inputs: &Inputs,
    globals: &Globals,
) -> (Memory, Vec<AbstractValue>) {
    let mut memory = Memory::default();
    let bytes = |words: usize| Some(8 * words as u64);
    memory.allocate(ObjectId::Inputs, Contents::unknown(bytes(target.input_words)));
    memory.allocate(ObjectId::Outputs, Contents::unknown(bytes(target.output_words)));
    for (input, value) in target.inputs.iter().zip(inputs) {
        let place = Pointers {
            targets: [(ObjectId::Inputs, Offsets::at(8 * input.word as i64))].into(),
            ..Pointers::default()
        };
        let (ty, value) = match (input.scalar, value) {
            (Scalar::Float(format), value) => (Type::Float(format), value.clone()),
            (Scalar::Integer { bits, .. }, AbstractValue::Integer(integers)) if bits % 8 == 0 => {
                (Type::Integer(bits), AbstractValue::Integer(*integers))
            }
            (Scalar::Integer { bits, .. }, AbstractValue::Integer(integers)) => {
                // The bits above the encoding are zero.
                let stored = bits.next_multiple_of(8);
                let (lo, hi) = integers.unsigned();
                (Type::Integer(stored), AbstractValue::Integer(Integers::wrapped(stored, lo, hi)))
            }
            (Scalar::Integer { .. }, _) => continue,
        };
        memory.store(&place, &ty, &value, globals);
    }
    let arguments = [ObjectId::Inputs, ObjectId::Outputs];
    (memory, arguments.map(|object| AbstractValue::pointer(Pointers::to(object))).to_vec())
}
