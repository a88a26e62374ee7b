//! Tables 3 and 4 of FPSE: eleven programs, in single and double, by
//! propagation and shaving alone, with the bounds that the paper expects.

use nanoscope_budget::Budget;
use nanoscope_ieee::Format;
use nanoscope_solver::propagate::{Domain, Grid, Network, Propagated};
use nanoscope_solver::prune::shave;
use nanoscope_term::{Model, Term, Value, evaluate, smtlib};
use std::fmt::Write;

/// What is expected of a variable: its exact bounds, or no solution.
enum Expected {
    Infeasible,
    /// The least value and the greatest, as doubles that hold them.
    Bounds(f64, f64),
}
use Expected::{Bounds, Infeasible};

/// A row: its variables, the one in question, its assertions, and what is
/// expected in single and double. `$x` in an assertion stands for the sort's
/// literal of `x`.
fn check(row: u32, asked: &str, assertions: &[String], single: Expected, double: Expected) {
    for (format, sort, expected) in [
        (Format::BINARY32, "(_ FloatingPoint 8 24)", single),
        (Format::BINARY64, "(_ FloatingPoint 11 53)", double),
    ] {
        let convert = if format == Format::BINARY32 { "(_ to_fp 8 24)" } else { "(_ to_fp 11 53)" };
        let mut script = String::from("(set-logic QF_FP)\n");
        writeln!(script, "(declare-fun {asked} () {sort})").unwrap();
        for assertion in assertions {
            // A literal runs from its `$` to the next blank or parenthesis.
            let mut text = String::new();
            for (i, part) in assertion.split('$').enumerate() {
                if i == 0 {
                    text.push_str(part);
                    continue;
                }
                let end = part.find([' ', ')']).unwrap_or(part.len());
                write!(text, "({convert} RNE {}){}", &part[..end], &part[end..]).unwrap();
            }
            writeln!(script, "(assert {text})").unwrap();
        }
        let problem = smtlib::read(&script).unwrap_or_else(|mistake| panic!("{mistake}\n{script}"));
        let terms = &problem.terms;
        let variable = problem.variables[0];
        let term = terms.variable_term(variable);
        let budget = Budget::unlimited();
        let mut network = Network::new(terms, &problem.assertions);
        let outcome = shave(&mut network, term, &budget);
        match expected {
            Infeasible => assert_eq!(outcome, Propagated::Contradiction, "row {row} {format}"),
            Bounds(lo, hi) => {
                assert_eq!(outcome, Propagated::Settled, "row {row} {format}");
                let grid = Grid::new(format).unwrap();
                let Domain::Float(_, floats) = network.domain(term) else { panic!("row {row}") };
                let wanted = [lo, hi].map(|value| ordinal(format, value));
                assert_eq!(
                    (floats.numbers.lo, floats.numbers.hi, floats.nan),
                    (wanted[0], wanted[1], false),
                    "row {row} {format}: {:?}",
                    [floats.numbers.lo, floats.numbers.hi].map(|at| {
                        let bits = grid.encode(at);
                        if format == Format::BINARY32 {
                            f32::from_bits(bits as u32) as f64
                        } else {
                            f64::from_bits(bits as u64)
                        }
                    })
                );
                // The evaluator agrees that both ends are solutions.
                for value in [lo, hi] {
                    let value = match format {
                        Format::BINARY32 => Value::from_f32(value as f32),
                        _ => Value::from_f64(value),
                    };
                    let mut model = Model::new();
                    model.set(variable, value);
                    let failing: Vec<&Term> = problem
                        .assertions
                        .iter()
                        .filter(|term| evaluate(terms, &model, **term).as_bool() != Some(true))
                        .collect();
                    assert!(failing.is_empty(), "row {row} {format}");
                }
            }
        }
    }
}

fn ordinal(format: Format, value: f64) -> i128 {
    let bits = match format {
        Format::BINARY32 => (value as f32).to_bits() as u128,
        _ => value.to_bits() as u128,
    };
    Grid::new(format).unwrap().decode(bits).unwrap()
}

fn point(value: f64) -> Expected {
    Bounds(value, value)
}

fn all(assertions: &[&str]) -> Vec<String> {
    assertions.iter().map(|text| text.to_string()).collect()
}

/// `x` to the power `-count` as power.c computes it: `1 / (x * x * ...)`.
fn power(count: usize) -> Vec<String> {
    let mut product = "$1.0".to_string();
    let mut text = String::new();
    for i in 0..count {
        write!(text, "(let ((z{i} (fp.mul RNE {product} $10.0))) ").unwrap();
        product = format!("z{i}");
    }
    write!(text, "(= res (fp.div RNE $1.0 {product})){}", ")".repeat(count)).unwrap();
    vec![text]
}

/// `y` counted up to zero: `w = 0 - y`, positive `count` times, and then not.
fn countdown(count: usize) -> Vec<String> {
    let mut text = String::from("(and (fp.lt y $0.0) ");
    let mut w = "(fp.sub RNE $0.0 y)".to_string();
    for i in 0..count {
        write!(text, "(let ((w{i} {w})) (and (fp.gt w{i} $0.0) ").unwrap();
        w = format!("(fp.sub RNE w{i} $1.0)");
    }
    write!(text, "(fp.leq {w} $0.0)").unwrap();
    text.push_str(&"))".repeat(count));
    text.push(')');
    vec![text]
}

#[test]
fn symbolic_expressions() {
    check(
        1,
        "x",
        &all(&["(= x (fp.sub RNE (fp.sub RNE (fp.add RNE \
                $0.000000000000000000000000000002 $1000000000000000000000000000000.0) \
                $1000000000000000000000000000000.0) $0.000000000000000000000000000001))"]),
        point(-1e-30f32 as f64),
        point(-1e-30),
    );
    let delta = |b: f64, a: f64, c: f64| b * b - 4.0 * (a * c);
    let delta32 = |b: f32, a: f32, c: f32| b * b - 4.0 * (a * c);
    check(
        2,
        "d",
        &all(&["(= d (fp.sub RNE (fp.mul RNE $3.34 $3.34) \
                (fp.mul RNE $4.0 (fp.mul RNE $1.22 $2.28))))"]),
        point(delta32(3.34, 1.22, 2.28) as f64),
        point(delta(3.34, 1.22, 2.28)),
    );
    check(
        3,
        "c",
        &all(&["(fp.eq $0.0 (fp.sub RNE (fp.mul RNE $3.34 $3.34) \
                (fp.mul RNE $4.0 (fp.mul RNE $1.22 c))))"]),
        point(2.285_983_562_469_482_4),
        point(2.285_983_606_557_377),
    );
    check(4, "res", &power(40), point(0.0), point(1.000_000_000_000_000_1e-40));
    check(5, "res", &power(350), point(0.0), point(0.0));
}

#[test]
fn path_conditions() {
    let tiny = f64::from_bits(1);
    check(
        6,
        "x",
        &all(&["(fp.gt x $0.0)", "(fp.eq (fp.add RNE x $1000000000000.0) $1000000000000.0)"]),
        Bounds(f32::from_bits(1) as f64, 32_767.998_046_875),
        Bounds(tiny, 6.103_515_625e-5),
    );
    check(
        7,
        "x",
        &all(&["(fp.lt x $10000.0)", "(fp.gt (fp.add RNE x $1000000000000.0) $1000000000000.0)"]),
        Infeasible,
        Bounds(6.103_515_625e-5f64.next_up(), 10_000f64.next_down()),
    );
    // howden.c has a second variable; the one in question is their product.
    check(
        8,
        "ab",
        &all(&[
            "(fp.gt (fp.add RNE ab $2.0) $100.0)",
            "(fp.gt (fp.sub RNE (fp.sub RNE $100.0 (fp.add RNE ab $2.0)) $50.0) $50.0)",
        ]),
        Infeasible,
        Infeasible,
    );
    check(9, "y", &all(&["(fp.lt y $0.0)", "(fp.leq (fp.neg y) $0.0)"]), Infeasible, Infeasible);
    check(
        10,
        "y",
        &countdown(40),
        Bounds(-40.0, (-39f32).next_down() as f64),
        Bounds(-40.0, (-39f64).next_down()),
    );
    check(
        11,
        "y",
        &countdown(350),
        Bounds(-350.0, (-349f32).next_down() as f64),
        Bounds(-350.0, (-349f64).next_down()),
    );
}
