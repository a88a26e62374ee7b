//! The formats with names that the machine has no instructions for, against
//! exact arithmetic: random operands, boundaries preferred, all five modes.

mod exact;
mod operands;

use nanoscope_ieee::{Datum, Float, Format, Operation, OutOfRange, Parameters, Rounding, evaluate};
use operands::{Random, operand};

const OPERATIONS: [Operation; 10] = [
    Operation::Add,
    Operation::Sub,
    Operation::Mul,
    Operation::Div,
    Operation::Fma,
    Operation::Sqrt,
    Operation::Remainder,
    Operation::Fmod,
    Operation::RoundToIntegral,
    Operation::RoundToIntegralExact,
];

/// Runs an operation and hands over its encoding and flags.
fn run(
    operation: Operation,
    parameters: &Parameters,
    rounding: Rounding,
    operands: &[u128],
) -> (u128, nanoscope_ieee::Flags) {
    let rounds = operation.operands().len() > operands.len();
    let mode = rounds.then(|| Datum::Rounding(rounding.into()));
    let floats = operands.iter().map(|&bits| Float::from_bits(parameters.format, bits).into());
    let data: Vec<_> = mode.into_iter().chain(floats).collect();
    let (result, flags) = evaluate(operation, parameters, &data).expect("operands fit");
    let (Datum::Float(word) | Datum::Bits(word)) = result else {
        panic!("a word from {operation}")
    };
    (word.to_u128().expect("at most 128 bits"), flags)
}

#[test]
fn arithmetic() {
    let formats = [
        (Format::BINARY16, 1_000),
        (Format::BFLOAT16, 500),
        (Format::BINARY32, 300),
        (Format::BINARY64, 60),
        (Format::BINARY128, 6),
        (Format::new(2, 12), 500),
        (Format::new(9, 2), 300),
    ];
    let mut random = Random(0x1616);
    for (format, rounds) in formats {
        for operation in OPERATIONS {
            let arity = operation
                .operands()
                .iter()
                .filter(|&&sort| sort == nanoscope_ieee::Sort::Float)
                .count();
            for round in 0..rounds {
                let rounding = Rounding::ALL[round % 5];
                let operands: Vec<_> = (0..arity).map(|_| operand(format, &mut random)).collect();
                let got = run(operation, &Parameters::of(format), rounding, &operands);
                exact::check(operation, format, rounding, &operands, got);
            }
        }
    }
}

#[test]
fn conversions() {
    let formats = [
        Format::BINARY16,
        Format::BFLOAT16,
        Format::BINARY32,
        Format::BINARY64,
        Format::BINARY128,
        Format::new(2, 12),
    ];
    let mut random = Random(0xc0de);
    for format in formats {
        for round in 0..100 {
            let rounding = Rounding::ALL[round % 5];
            let a = operand(format, &mut random);
            for target in formats {
                let parameters = Parameters::between(format, target);
                let got = run(Operation::Convert, &parameters, rounding, &[a]);
                exact::check_conversion(parameters, rounding, a, got);
            }
            let out_of_range = OutOfRange::ALL[round % 3];
            let parameters =
                Parameters::integer(format, 1 + random.below(120) as u32, out_of_range);
            for signed in [false, true] {
                exact::check_integer(parameters, rounding, a, signed, |operation| {
                    run(operation, &parameters, rounding, &[a])
                });
            }
        }
    }
}

#[test]
fn integers() {
    let mut random = Random(0x1a7);
    for format in [Format::BINARY16, Format::BFLOAT16, Format::BINARY128] {
        for round in 0..300 {
            let rounding = Rounding::ALL[round % 5];
            let width = 1 + random.below(127) as u32;
            let bits = (random.next() as u128) << 64 | random.next() as u128;
            let n = bits as i128 >> (128 - width);
            let word = nanoscope_ieee::Word::new(width, n as u128);
            let (float, flags) = Float::from_signed(format, rounding, &word);
            let parameters = Parameters::integer(format, width, OutOfRange::Undefined);
            let got = (float.to_bits().expect("at most 128 bits"), flags);
            exact::check_from_integer(parameters, rounding, n, got);
        }
    }
}
