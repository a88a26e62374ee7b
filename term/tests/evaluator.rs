//! The evaluator against the semantics in `ieee`, with which it shares no
//! code: every operation, exhaustively on tiny formats, at random on others. And
//! what is written out in SMT-LIB's functions against the operation itself.

use nanoscope_ieee::{
    self as ieee, Circuit, Concrete, ConcreteDatum, Datum, Format, Operation, OutOfRange,
    ParameterKind, Parameters, Rounding, Word,
};
use nanoscope_term::{Model, Op, Sort, Term, Terms, Value, evaluate, standard};

/// What the soft float gives, the NaN being one.
fn expected(operation: Operation, parameters: &Parameters, args: &[Value]) -> Value {
    let operands: Vec<ConcreteDatum> = args
        .iter()
        .map(|value| match value {
            Value::Bool(value) => Datum::Bool(*value),
            Value::Bits(word) => Datum::Bits(word.clone()),
            Value::Float(_, word) => Datum::Float(word.clone()),
            Value::Rounding(mode) => Datum::Rounding(Word::new(3, *mode as u128)),
            Value::Array(_) => panic!("no operation takes arrays"),
        })
        .collect();
    let mut circuit = Circuit::new(Concrete);
    let (result, _) = ieee::apply(&mut circuit, operation, parameters, &operands).expect("sorts");
    match result {
        Datum::Bool(value) => Value::Bool(value),
        Datum::Bits(word) => Value::Bits(word),
        Datum::Float(word) if operation == Operation::Convert => {
            Value::float(parameters.target, word)
        }
        Datum::Float(word) => Value::float(parameters.format, word),
        Datum::Rounding(_) => panic!("no operation gives rounding modes"),
    }
}

#[track_caller]
fn check(terms: &mut Terms, operation: Operation, parameters: Parameters, args: &[Value]) {
    let constants: Vec<Term> = args.iter().map(|value| terms.constant(value.clone())).collect();
    let term = terms.make(Op::Float(operation, parameters), &constants);
    let found = evaluate(terms, &Model::new(), term);
    let wanted = expected(operation, &parameters, args);
    assert_eq!(found, wanted, "{operation} {parameters:?} of {args:?}");
    let standard = standard(terms, &[term]).expect("no libm")[0];
    let written_out = evaluate(terms, &Model::new(), standard);
    assert_eq!(written_out, wanted, "{operation} {parameters:?} of {args:?} in SMT-LIB");
}

/// The parameters to try an operation with on a format.
fn variants(
    operation: Operation,
    format: Format,
    others: &[Format],
    widths: &[u32],
) -> Vec<Parameters> {
    let mut all = vec![Parameters::of(format)];
    let has = |kind| operation.parameters().contains(&kind);
    if has(ParameterKind::Target) {
        all = others.iter().map(|target| Parameters::between(format, *target)).collect();
    }
    if has(ParameterKind::Width) {
        all = widths.iter().map(|w| Parameters { width: *w, ..Parameters::of(format) }).collect();
    }
    if has(ParameterKind::OutOfRange) {
        let policies = OutOfRange::ALL.iter();
        all = policies
            .flat_map(|policy| all.iter().map(|p| Parameters { out_of_range: *policy, ..*p }))
            .collect();
    }
    all
}

/// The sorts of the operands.
fn operand_sorts(operation: Operation, parameters: &Parameters) -> Vec<Sort> {
    let integer = operation.parameters().contains(&ParameterKind::Width);
    let width = if integer { parameters.width } else { parameters.format.width() };
    let sort = |sort: &ieee::Sort| match sort {
        ieee::Sort::Float => Sort::Float(parameters.format),
        ieee::Sort::Rounding => Sort::Rounding,
        ieee::Sort::Bits => Sort::Bits(width),
        ieee::Sort::Bool => Sort::Bool,
    };
    operation.operands().iter().map(sort).collect()
}

fn all_values(sort: Sort) -> Vec<Value> {
    let words = |width: u32| (0..1u128 << width).map(move |bits| Word::new(width, bits));
    match sort {
        Sort::Rounding => Rounding::ALL.map(Value::Rounding).to_vec(),
        Sort::Bits(width) => words(width).map(Value::Bits).collect(),
        Sort::Float(format) => {
            let mut values: Vec<Value> =
                words(format.width()).map(|word| Value::float(format, word)).collect();
            values.sort();
            values.dedup();
            values
        }
        Sort::Bool | Sort::Array(_) => panic!("no operand of this sort"),
    }
}

#[test]
fn every_operation_on_every_value_of_tiny_formats() {
    let formats = [Format::new(2, 3), Format::new(3, 3), Format::new(2, 2), Format::new(3, 5)];
    for operation in Operation::ALL {
        // Three operands of the wider ones would take minutes.
        let few = if operation.operands().len() > 3 { 1 } else { 2 };
        for format in &formats[..few] {
            for parameters in variants(*operation, *format, &formats, &[1, 2, 3, 5]) {
                let mut terms = Terms::without_rewriting();
                let sorts = operand_sorts(*operation, &parameters);
                let choices: Vec<Vec<Value>> = sorts.into_iter().map(all_values).collect();
                let total: usize = choices.iter().map(Vec::len).product();
                for mut number in 0..total {
                    let mut args = Vec::new();
                    for values in &choices {
                        args.push(values[number % values.len()].clone());
                        number /= values.len();
                    }
                    check(&mut terms, *operation, parameters, &args);
                }
            }
        }
    }
}

/// A small generator of numbers that look random (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn word(&mut self, width: u32) -> Word {
        let bits: Vec<bool> = (0..width).map(|_| self.next() >> 63 == 1).collect();
        Word::from_bits(&bits)
    }

    /// A float, often special, often near others in exponent.
    fn float(&mut self, format: Format) -> Value {
        let fraction = self.word(format.fraction_bits());
        let bias = format.max_exponent() as u64;
        let exponent = match self.next() % 8 {
            0 => 0,
            1 => format.special_exponent(),
            2 => self.next() & format.special_exponent(),
            3 => 1,
            _ => (bias + self.next() % 24).saturating_sub(12),
        } & format.special_exponent();
        let fraction = match self.next() % 6 {
            0 => Word::zero(fraction.width()),
            1 => Word::ones(fraction.width()),
            _ => fraction,
        };
        let sign = num_bigint::BigUint::from(self.next() & 1);
        let head = (sign << format.exponent_bits) | num_bigint::BigUint::from(exponent);
        let bits = (head << format.fraction_bits()) | fraction.to_big();
        Value::float(format, Word::from_big(format.width(), &bits))
    }
}

#[test]
fn every_operation_at_random_on_common_formats() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let formats = [
        Format::BINARY16,
        Format::BINARY32,
        Format::BINARY64,
        Format::BINARY128,
        Format::BFLOAT16,
        Format::new(15, 64),
        Format::new(4, 30),
        Format::new(Format::MAX_EXPONENT_BITS, 10),
    ];
    for operation in Operation::ALL {
        for format in formats {
            for parameters in variants(*operation, format, &formats, &[8, 32, 64, 130]) {
                let mut terms = Terms::without_rewriting();
                let sorts = operand_sorts(*operation, &parameters);
                for _ in 0..40 {
                    let args: Vec<Value> = sorts
                        .iter()
                        .map(|sort| match sort {
                            Sort::Float(format) => random.float(*format),
                            Sort::Bits(width) => Value::Bits(random.word(*width)),
                            Sort::Rounding => {
                                Value::Rounding(Rounding::ALL[(random.next() % 5) as usize])
                            }
                            Sort::Bool | Sort::Array(_) => panic!("no operand of this sort"),
                        })
                        .collect();
                    check(&mut terms, *operation, parameters, &args);
                }
            }
        }
    }
}
