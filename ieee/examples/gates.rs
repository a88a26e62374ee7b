//! How large the circuits are: and-gates of an and-inverter graph with constant
//! folding and structural hashing, all operands and the rounding mode unknown.
//!
//! `cargo run --release -p nanoscope-ieee --example gates [FORMAT]`

use nanoscope_ieee::{
    Algebra, Circuit, Datum, Format, Operation, OutOfRange, Parameters, Raised, Rounding, Sort,
    apply,
};
use std::collections::{BTreeSet, HashMap};

/// An and-inverter graph; a literal is twice its node, plus one if negated.
/// Node 0 is false.
#[derive(Default)]
struct Graph {
    gates: Vec<(u32, u32)>,
    inputs: u32,
    known: HashMap<(u32, u32), u32>,
}

/// Inputs come before all gates.
const INPUTS: u32 = 1 << 12;

impl Graph {
    fn input(&mut self) -> u32 {
        self.inputs += 1;
        assert!(self.inputs < INPUTS, "inputs come before gates");
        2 * self.inputs
    }

    fn inputs(&mut self, width: u32) -> Vec<u32> {
        (0..width).map(|_| self.input()).collect()
    }

    /// The gates that these literals depend on.
    fn cone(&self, roots: &[u32]) -> usize {
        let mut seen = BTreeSet::new();
        let mut stack: Vec<u32> = roots.iter().map(|literal| literal / 2).collect();
        while let Some(node) = stack.pop() {
            if node >= INPUTS && seen.insert(node) {
                let (a, b) = self.gates[(node - INPUTS) as usize];
                stack.extend([a / 2, b / 2]);
            }
        }
        seen.len()
    }
}

impl Algebra for Graph {
    type Bit = u32;
    type Word = Vec<u32>;

    fn bit(&mut self, value: bool) -> u32 {
        value as u32
    }

    fn not(&mut self, a: &u32) -> u32 {
        a ^ 1
    }

    fn and(&mut self, a: &u32, b: &u32) -> u32 {
        let (a, b) = (*a.min(b), *a.max(b));
        match (a, b) {
            (0, _) => 0,
            (1, _) => b,
            _ if a == b => a,
            _ if a ^ 1 == b => 0,
            _ => *self.known.entry((a, b)).or_insert_with(|| {
                self.gates.push((a, b));
                2 * (INPUTS + self.gates.len() as u32 - 1)
            }),
        }
    }

    fn assemble(&mut self, bits: &[u32]) -> Vec<u32> {
        bits.to_vec()
    }

    fn bit_of(&mut self, a: &Vec<u32>, index: u32) -> u32 {
        a[index as usize]
    }

    fn width(&self, a: &Vec<u32>) -> u32 {
        a.len() as u32
    }

    fn known(&self, a: &u32) -> Option<bool> {
        match a {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

/// Gates for the value alone and with the flags.
fn measure(operation: Operation, format: Format, rounding: Option<Rounding>) -> (usize, usize) {
    let mut circuit = Circuit::new(Graph::default());
    let width = 32;
    let target = if format == Format::BINARY32 { Format::BINARY64 } else { Format::BINARY32 };
    let parameters = Parameters { format, target, width, out_of_range: OutOfRange::Undefined };
    let operands: Vec<_> = operation
        .operands()
        .iter()
        .map(|sort| match sort {
            Sort::Rounding => Datum::Rounding(match rounding {
                Some(mode) => (0..3).map(|i| mode as u32 >> i & 1).collect(),
                None => circuit.algebra.inputs(3),
            }),
            Sort::Float => Datum::Float(circuit.algebra.inputs(format.width())),
            Sort::Bits if operation == Operation::FromBits => {
                Datum::Bits(circuit.algebra.inputs(format.width()))
            }
            Sort::Bits => Datum::Bits(circuit.algebra.inputs(width)),
            Sort::Bool => Datum::Bool(circuit.algebra.input()),
        })
        .collect();
    let (result, flags) =
        apply(&mut circuit, operation, &parameters, &operands).expect("operands fit");
    let mut roots = match result {
        Datum::Float(word) | Datum::Bits(word) | Datum::Rounding(word) => word,
        Datum::Bool(bit) => vec![bit],
    };
    let value = circuit.algebra.cone(&roots);
    let Raised { invalid, divide_by_zero, overflow, underflow, inexact, tiny } = flags;
    roots.extend([invalid, divide_by_zero, overflow, underflow, inexact, tiny]);
    (value, circuit.algebra.cone(&roots))
}

fn main() {
    let format = std::env::args().nth(1).map_or(Ok(Format::BINARY32), |text| text.parse());
    let format = match format {
        Ok(format) => format,
        Err(message) => {
            eprintln!("{message}");
            std::process::exit(2);
        }
    };
    println!("{format:<26} {:>10} {:>10} {:>10}", "value", "and flags", "RNE value");
    for &operation in Operation::ALL {
        let (value, flags) = measure(operation, format, None);
        let (nearest, _) = measure(operation, format, Some(Rounding::NearestEven));
        println!("{:<26} {value:>10} {flags:>10} {nearest:>10}", operation.name());
    }
}
