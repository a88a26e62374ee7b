//! Prints how large the circuit of every floating-point operation is: gates of
//! the and-inverter graph, variables and clauses.

use nanoscope_budget::Budget;
use nanoscope_ieee::{Circuit, Datum, Format, Operation, OutOfRange, Parameters, Sort, apply};
use nanoscope_solver::blast::{Aig, Cnf, Lit, Sat};

type Literals = Datum<Vec<Lit>, Vec<Lit>, Vec<Lit>, Lit>;

fn main() {
    println!(
        "{:<16} {:<8} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "operation", "format", "gates", "with", "variables", "clauses", "ms"
    );
    println!("{:<16} {:<8} {:>9} {:>9}", "", "", "of result", "flags");
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    for &operation in Operation::ALL {
        if !chosen.is_empty() && !chosen.iter().any(|name| name == operation.name()) {
            continue;
        }
        for (name, format) in [("binary32", Format::BINARY32), ("binary64", Format::BINARY64)] {
            row(operation, name, format);
        }
    }
}

fn row(operation: Operation, name: &str, format: Format) {
    let start = std::time::Instant::now();
    let target = if format == Format::BINARY32 { Format::BINARY64 } else { Format::BINARY32 };
    let width = if operation == Operation::FromBits { format.width() } else { 32 };
    let parameters =
        Parameters { target, ..Parameters::integer(format, width, OutOfRange::Undefined) };
    let mut circuit = Circuit::new(Aig::new());
    let operands: Vec<Literals> = operation
        .operands()
        .iter()
        .map(|sort| match sort {
            Sort::Float => Datum::Float(circuit.algebra.inputs(format.width())),
            Sort::Rounding => Datum::Rounding(circuit.algebra.inputs(3)),
            Sort::Bits => Datum::Bits(circuit.algebra.inputs(width)),
            Sort::Bool => Datum::Bool(circuit.algebra.input()),
        })
        .collect();
    let (result, flags) = apply(&mut circuit, operation, &parameters, &operands).expect("operands");
    let mut outputs = match result {
        Datum::Float(word) | Datum::Rounding(word) | Datum::Bits(word) => word,
        Datum::Bool(bit) => vec![bit],
    };
    let aig = circuit.algebra;
    let gates = aig.cone(&outputs);
    let (mut sat, mut cnf) = (Sat::new(), Cnf::default());
    for &output in &outputs {
        cnf.literal(&aig, &mut sat, output, &Budget::unlimited()).expect("no limit");
    }
    outputs.extend([flags.invalid, flags.divide_by_zero, flags.overflow]);
    outputs.extend([flags.underflow, flags.inexact, flags.tiny]);
    println!(
        "{:<16} {:<8} {:>9} {:>9} {:>9} {:>9} {:>9.1}",
        operation.name(),
        name,
        gates,
        aig.cone(&outputs),
        sat.variables(),
        sat.clauses(),
        start.elapsed().as_secs_f64() * 1e3
    );
}
