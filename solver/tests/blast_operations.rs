//! The circuit of every operation of the table, simulated, against the soft
//! float: all operands and modes of tiny formats, many of binary32 and
//! binary64; and against the exact evaluator of terms, another opinion.

use nanoscope_ieee::{
    Circuit, Concrete, ConcreteDatum, Datum, Format, Operation, OutOfRange, Parameters, Raised,
    Sort, Word, apply,
};
use nanoscope_solver::blast::{Aig, Lit};
use nanoscope_term::{Model, Terms, Value, evaluate};

type Literals = Datum<Vec<Lit>, Vec<Lit>, Vec<Lit>, Lit>;

fn width(sort: Sort, parameters: &Parameters) -> u32 {
    match sort {
        Sort::Float => parameters.format.width(),
        Sort::Rounding => 3,
        Sort::Bits => parameters.width,
        Sort::Bool => 1,
    }
}

fn listed<B: Clone>(flags: &Raised<B>) -> [B; 6] {
    let Raised { invalid, divide_by_zero, overflow, underflow, inexact, tiny } = flags;
    [invalid, divide_by_zero, overflow, underflow, inexact, tiny].map(|flag| flag.clone())
}

/// Simulates the circuit of an operation on all points and compares results
/// and flags. A point is the operands' words.
fn check(operation: Operation, parameters: &Parameters, points: &[Vec<Word>]) {
    let mut circuit = Circuit::new(Aig::new());
    let operands: Vec<Literals> = operation
        .operands()
        .iter()
        .map(|&sort| {
            let word = circuit.algebra.inputs(width(sort, parameters));
            match sort {
                Sort::Float => Datum::Float(word),
                Sort::Rounding => Datum::Rounding(word),
                Sort::Bits => Datum::Bits(word),
                Sort::Bool => Datum::Bool(word[0]),
            }
        })
        .collect();
    let (result, flags) = apply(&mut circuit, operation, parameters, &operands).expect("sorts");
    let mut outputs = match result {
        Datum::Float(word) | Datum::Rounding(word) | Datum::Bits(word) => word,
        Datum::Bool(bit) => vec![bit],
    };
    outputs.extend(listed(&flags));

    for lanes in points.chunks(64) {
        let mut patterns = Vec::new();
        for (index, &sort) in operation.operands().iter().enumerate() {
            for bit in 0..width(sort, parameters) {
                let set = |pattern: u64, (lane, point): (usize, &Vec<Word>)| {
                    pattern | (point[index].bit(bit) as u64) << lane
                };
                patterns.push(lanes.iter().enumerate().fold(0, set));
            }
        }
        let simulation = circuit.algebra.simulate(&patterns);
        for (lane, point) in lanes.iter().enumerate() {
            let got: Vec<bool> =
                outputs.iter().map(|&lit| simulation.of(lit) >> lane & 1 == 1).collect();
            let (word, flags) = concrete(operation, parameters, point);
            let mut expected: Vec<bool> = (0..word.width()).map(|i| word.bit(i)).collect();
            expected.extend(listed(&flags));
            assert_eq!(got, expected, "{operation} {parameters:?} {point:?}");
        }
    }
}

fn concrete(operation: Operation, parameters: &Parameters, point: &[Word]) -> (Word, Raised<bool>) {
    let operands: Vec<ConcreteDatum> = point
        .iter()
        .zip(operation.operands())
        .map(|(word, sort)| match sort {
            Sort::Float => Datum::Float(word.clone()),
            Sort::Rounding => Datum::Rounding(word.clone()),
            Sort::Bits => Datum::Bits(word.clone()),
            Sort::Bool => Datum::Bool(word.bit(0)),
        })
        .collect();
    let (result, flags) =
        apply(&mut Circuit::new(Concrete), operation, parameters, &operands).expect("sorts");
    match result {
        Datum::Float(word) | Datum::Rounding(word) | Datum::Bits(word) => (word, flags),
        Datum::Bool(bit) => (Word::from_bits(&[bit]), flags),
    }
}

/// The ways to parametrise an operation: a few targets, widths and policies
/// where it has them.
fn variants(
    operation: Operation,
    format: Format,
    targets: &[Format],
    widths: &[u32],
) -> Vec<Parameters> {
    use nanoscope_ieee::ParameterKind as Kind;
    let kinds = operation.parameters();
    if operation == Operation::FromBits {
        return vec![Parameters::integer(format, format.width(), OutOfRange::Undefined)];
    }
    if kinds.contains(&Kind::Target) {
        return targets.iter().map(|&target| Parameters::between(format, target)).collect();
    }
    if kinds.contains(&Kind::OutOfRange) {
        let all = OutOfRange::ALL.iter();
        return all
            .flat_map(|&policy| {
                widths.iter().map(move |&width| Parameters::integer(format, width, policy))
            })
            .collect();
    }
    if kinds.contains(&Kind::Width) {
        let make = |&width: &u32| Parameters::integer(format, width, OutOfRange::Undefined);
        return widths.iter().map(make).collect();
    }
    vec![Parameters::of(format)]
}

fn all_points(operation: Operation, parameters: &Parameters) -> Vec<Vec<Word>> {
    let widths: Vec<u32> =
        operation.operands().iter().map(|&sort| width(sort, parameters)).collect();
    (0..1u64 << widths.iter().sum::<u32>())
        .map(|code| {
            let mut rest = code as u128;
            let take = |&width: &u32| {
                let word = Word::new(width, rest);
                rest >>= width;
                word
            };
            widths.iter().map(take).collect()
        })
        .collect()
}

#[test]
fn every_operation_on_all_of_a_tiny_format() {
    for &operation in Operation::ALL {
        let formats: &[Format] = match operation.operands().len() {
            4 => &[Format::new(2, 3)],
            _ => &[Format::new(2, 3), Format::new(3, 3)],
        };
        for &format in formats {
            let targets = [Format::new(2, 2), Format::new(2, 4), Format::new(4, 3)];
            for parameters in variants(operation, format, &targets, &[1, 2, 5]) {
                check(operation, &parameters, &all_points(operation, &parameters));
            }
        }
    }
}

/// Words near where things happen.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn word(&mut self, sort: Sort, parameters: &Parameters) -> Word {
        let width = width(sort, parameters);
        if sort == Sort::Rounding {
            return Word::new(3, (self.next() >> 40) as u128 % 5);
        }
        let random = (self.next() as u128) << 64 | self.next() as u128;
        let (format, choice) = (parameters.format, self.next() >> 60);
        if sort != Sort::Float {
            return Word::new(width, if choice < 4 { random >> (choice * 31) } else { random });
        }
        let fraction = format.fraction_bits();
        let special = format.special_exponent() as u128;
        let bias = special / 2;
        let near = (self.next() >> 59) as u128;
        let exponent = match choice {
            0 => 0,
            1 => special,
            2 => 1 + near % 4,
            3 => special.saturating_sub(1 + near % 4),
            4..8 => (bias + near).saturating_sub(16),
            8..10 => (bias + fraction as u128 + near % 8).saturating_sub(4),
            _ => random >> 90 & special,
        };
        let exponent = exponent.min(special);
        let significand = match self.next() >> 61 {
            0 => 0,
            1 => (1 << fraction) - 1,
            2 => 1 << (self.next() as u32 % fraction),
            _ => random & ((1 << fraction) - 1),
        };
        let sign = self.next() >> 63;
        Word::new(width, (sign as u128) << (width - 1) | exponent << fraction | significand)
    }
}

#[test]
fn every_operation_on_many_singles_and_doubles() {
    let mut draw = Draw(0x1234_5678_9abc_def1);
    for &operation in Operation::ALL {
        for (format, other) in
            [(Format::BINARY32, Format::BINARY64), (Format::BINARY64, Format::BINARY32)]
        {
            for parameters in variants(operation, format, &[other], &[32, 64]) {
                let long = matches!(operation, Operation::Remainder | Operation::Fmod);
                let points: Vec<Vec<Word>> = (0..if long { 64 } else { 1024 })
                    .map(|_| {
                        let sorts = operation.operands().iter();
                        sorts.map(|&sort| draw.word(sort, &parameters)).collect()
                    })
                    .collect();
                check(operation, &parameters, &points);
            }
        }
    }
}

/// The soft float, and so the circuits, against the evaluator of terms, which
/// computes exactly and shares nothing with them.
#[test]
fn the_evaluator_agrees() {
    let mut draw = Draw(0xfeed_beef_1234_5671);
    for &operation in Operation::ALL {
        if operation == Operation::Identical {
            continue; // Terms say it with their own equality.
        }
        for format in [Format::new(3, 4), Format::BINARY32, Format::BINARY64] {
            for parameters in variants(operation, format, &[Format::BINARY16], &[7, 33]) {
                for _ in 0..200 {
                    // Terms have one NaN only, the canonical one.
                    let sorts = operation.operands().iter();
                    let point: Vec<Word> = sorts
                        .map(|&sort| {
                            let word = draw.word(sort, &parameters);
                            match value(sort, &parameters, &word, false) {
                                Value::Float(_, canonical) => canonical,
                                _ => word,
                            }
                        })
                        .collect();
                    let (word, _) = concrete(operation, &parameters, &point);
                    let expected = value(operation.result(), &parameters, &word, true);
                    let mut terms = Terms::without_rewriting();
                    let sorts = operation.operands().iter();
                    let args: Vec<_> = point
                        .iter()
                        .zip(sorts)
                        .map(|(word, &sort)| terms.constant(value(sort, &parameters, word, false)))
                        .collect();
                    let term = terms.float(operation, parameters, &args);
                    let got = evaluate(&terms, &Model::new(), term);
                    assert_eq!(got, expected, "{operation} {parameters:?} {point:?}");
                }
            }
        }
    }
}

fn value(sort: Sort, parameters: &Parameters, word: &Word, result: bool) -> Value {
    match sort {
        Sort::Float => {
            let format = if result { parameters.target } else { parameters.format };
            Value::float(format, word.clone())
        }
        Sort::Rounding => Value::Rounding(nanoscope_ieee::Rounding::ALL[word.low_u64() as usize]),
        Sort::Bits => Value::Bits(word.clone()),
        Sort::Bool => Value::Bool(word.bit(0)),
    }
}
