//! How many operations a second the soft float and the hardware lane do.
//!
//! `cargo run --release -p nanoscope-ieee --example speed`

use nanoscope_ieee::{
    ConcreteDatum, Datum, Format, Operation, Parameters, Rounding, Word, evaluate, evaluate_value,
};
use std::hint::black_box;
use std::time::Instant;

const CALLS: u64 = 200_000;

fn main() {
    println!("{:<10} {:>10} {:>12} {:>12}", "operation", "format", "soft/s", "hardware/s");
    let operations = [
        Operation::Add,
        Operation::Mul,
        Operation::Div,
        Operation::Fma,
        Operation::Sqrt,
        Operation::Fmod,
        Operation::Less,
    ];
    for format in [Format::BINARY32, Format::BINARY64, Format::X87, Format::BINARY128] {
        for operation in operations {
            let parameters = Parameters::of(format);
            let mut operands: Vec<ConcreteDatum> = Vec::new();
            for (i, sort) in operation.operands().iter().enumerate() {
                operands.push(match sort {
                    nanoscope_ieee::Sort::Rounding => Datum::Rounding(Rounding::NearestEven.into()),
                    _ => {
                        let value = nanoscope_ieee::Float::from(1.1 + i as f64 / 3.0);
                        let (value, _) = value.convert(format, Rounding::NearestEven);
                        Datum::Float(Word::clone(value.word()))
                    }
                });
            }
            let soft = rate(|| {
                let result = evaluate(operation, &parameters, black_box(&operands));
                black_box(result).is_ok()
            });
            let fast = rate(|| {
                let result = evaluate_value(operation, &parameters, black_box(&operands));
                black_box(result).is_ok()
            });
            println!(
                "{:<10} {:>10} {soft:>12.0} {fast:>12.0}",
                operation.name(),
                format.to_string()
            );
        }
    }
}

/// Calls a second.
fn rate(mut call: impl FnMut() -> bool) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        assert!(call(), "operands fit");
    }
    CALLS as f64 / start.elapsed().as_secs_f64()
}
